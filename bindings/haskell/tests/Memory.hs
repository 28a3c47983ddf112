-- | Encrypts and decrypts 256 MiB as a lazy byte string, in a heap of 24 MiB, with GHC's
-- non-threaded runtime.
module Main (main) where

import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import Sealane.Age hiding (decrypt, encrypt)
import Sealane.Age.Lazy (decrypt, encrypt)

main :: IO ()
main = do
    text <- generateIdentity X25519
    let recipients = either (error . show) id (identityRecipient text >>= recipientsFromText)
        identities = either (error . show) id (identitiesFromText text)
        piece = B.pack (take 32768 (cycle [0 .. 250]))
    file <- encrypt recipients Armor (L.fromChunks (replicate 8192 piece))
    content <- decrypt identities file
    print (check 0 piece (L.toChunks content))
  where
    -- The number of bytes, if all are right.
    check :: Int -> B.ByteString -> [B.ByteString] -> Maybe Int
    check count _ [] = Just count
    check count piece (first : rest)
        | B.length first <= B.length piece - count `mod` B.length piece =
            let place = count `mod` B.length piece
             in if first == B.take (B.length first) (B.drop place piece)
                    then check (count + B.length first) piece rest
                    else Nothing
        | otherwise =
            let (a, b) = B.splitAt (B.length piece - count `mod` B.length piece) first
             in check count piece (a : b : rest)
