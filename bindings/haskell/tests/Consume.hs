-- | Reads a lazy byte string until it throws.
module Consume
    ( consume
    ) where

import Control.Exception (evaluate, try)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import Sealane.Error (SealaneError)

-- | Returns all bytes before an exception, and the exception.
consume :: IO L.ByteString -> IO (ByteString, Maybe SealaneError)
consume start = try (start >>= evaluate) >>= either (\e -> pure (B.empty, Just e)) (go [])
  where
    go taken rest = case L.toChunks rest of
        [] -> pure (B.concat (reverse taken), Nothing)
        piece : _ -> do
            next <- try (evaluate (L.drop (fromIntegral (B.length piece)) rest))
            either (\e -> pure (B.concat (reverse (piece : taken)), Just e)) (go (piece : taken)) next
