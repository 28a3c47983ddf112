-- |
-- Description: Errors
--
-- Errors of wrong arguments and calls, and of age files. An AEAD message that is not authentic is
-- not among them: functions that open messages return 'Nothing' or 'False' for it.
module Sealane.Error
    ( SealaneError (..)
    ) where

import Control.Exception (Exception (displayException))
import Data.Word (Word64)

-- | An error, with the number and the text of the C interface.
data SealaneError = SealaneError
    { errorStatus :: Int
    -- ^ The number: @sealane_status@ in @sealane.h@.
    , errorText :: String
    -- ^ The text.
    , errorChunk :: Maybe Word64
    -- ^ The number of the damaged chunk of an age file. Chunk @n@ has the 64 KiB of plaintext from
    -- byte @n * 65536@ on. 'Nothing' for other errors.
    }
    deriving (Eq, Show)

instance Exception SealaneError where
    displayException e = "sealane: " ++ errorText e
