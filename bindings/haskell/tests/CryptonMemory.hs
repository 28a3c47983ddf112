{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- | Encrypts and decrypts 1,000,000 pieces of 16 bytes in a heap of 8 MiB. Prints whether the tags
-- are those of crypton, and the peak memory of the process in KiB.
module Main (main) where

import qualified Crypto.Cipher.ChaChaPoly1305 as Theirs
import Crypto.Error (throwCryptoError)
import qualified Data.ByteString as B
import qualified Sealane.Crypton as Ours

-- | Passes 16,000,000 bytes in pieces of this length to a function. Forces only the outermost
-- constructor of each state.
pieces :: forall state. Int -> (B.ByteString -> state -> (B.ByteString, state)) -> state -> state
pieces len step = go (16000000 `div` len)
  where
    go :: Int -> state -> state
    go 0 !state = state
    go left !state = go (left - 1) (snd (step (B.replicate len 7) state))

main :: IO ()
main = do
    let key = B.replicate 32 1
        ours = Ours.finalizeAAD (throwCryptoError (Ours.nonce12 (B.replicate 12 2) >>= Ours.initialize key))
        theirs = Theirs.finalizeAAD (throwCryptoError (Theirs.nonce12 (B.replicate 12 2) >>= Theirs.initialize key))
    print
        [ Ours.finalize (pieces 16 Ours.encrypt ours) == Theirs.finalize (pieces 16000 Theirs.encrypt theirs)
        , Ours.finalize (pieces 16 Ours.decrypt ours) == Theirs.finalize (pieces 16000 Theirs.decrypt theirs)
        ]
    status <- readFile "/proc/self/status"
    putStrLn (unwords [unwords rest | "VmHWM:" : rest <- map words (lines status)])
