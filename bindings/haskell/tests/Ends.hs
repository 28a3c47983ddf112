-- | Ends while another thread is in a call with recipients, a sealer or ranges. @ends.c@ checks
-- that the object is not freed during the call. When the call begins, it writes a line to
-- descriptor 3, which arrives on standard input.
module Main (main) where

import Control.Concurrent (forkIO)
import Control.Monad (void)
import Control.Monad.ST (stToIO)
import qualified Data.ByteString as B
import Sealane.Age
import Sealane.Age.Ranges (openWith, readRange)
import Sealane.Key (generateKey)
import Sealane.XChaCha20Poly1305 (generateNonce, newSealer, sealPiece)
import System.Environment (getArgs)
import System.Timeout (timeout)

main :: IO ()
main = do
    [name] <- getArgs
    text <- generateIdentity X25519
    let recipients = right (identityRecipient text >>= recipientsFromText)
    _ <- forkIO $ case name of
        "recipients" -> void (encrypt recipients Binary B.empty)
        "sealer" -> do
            key <- generateKey
            nonce <- generateNonce
            sealer <- stToIO (newSealer key nonce B.empty)
            void (stToIO (sealPiece sealer (B.replicate 100000 0)))
        _ -> do
            file <- encrypt recipients Binary (B.replicate 100000 0)
            ranges <- openWith (right (identitiesFromText text)) (fromIntegral (B.length file)) $ \at len ->
                pure (B.take len (B.drop (fromIntegral at) file))
            void (readRange ranges 0 1)
    -- The call has begun.
    void (timeout 60000000 getLine)
  where
    right = either (error . show) id
