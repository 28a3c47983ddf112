-- |
-- Description: Errors
--
-- Errors of wrong arguments and calls, and of age files. A message that is not authentic is not
-- among them: functions that open return 'Nothing' or 'False' for it.
module Sealane.Error
    ( SealaneError (..)
    ) where

import Control.Exception (Exception (displayException))

-- | An error, with the number and the text of the C interface.
data SealaneError = SealaneError
    { errorStatus :: Int
    -- ^ The number: @sealane_status@ in @sealane.h@.
    , errorText :: String
    -- ^ The text.
    }
    deriving (Eq, Show)

instance Exception SealaneError where
    displayException e = "sealane: " ++ errorText e
