{-# LANGUAGE BangPatterns #-}

-- |
-- Description: Keys
--
-- Keys of 32 bytes, for all algorithms in this package. They are outside Haskell's heap, so that
-- they are neither moved nor copied. They are wiped when they are no longer used, and also at the
-- end of the program.
--
-- End other threads that use this package before @main@ returns. GHC runs finalizers then, and does
-- not wait for calls: a key may be wiped when another thread is about to use it.
module Sealane.Key
    ( Key
    , keyBytes
    , generateKey
    , generateBytes
    , keyFromBytes
    , withKey
    ) where

import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Internal as B (create)
import Foreign.Marshal.Utils (copyBytes)
import Sealane.Foreign (check, masked, pureCall, randomBytes, withBytes)
import Sealane.Key.Memory (Key, keyBytes, newKey, withKey)

-- | Returns a random key from the operating system's generator.
--
-- Throws 'Sealane.Error.SealaneError' if the generator fails.
generateKey :: IO Key
generateKey = newKey $ \key -> randomBytes key (fromIntegral keyBytes) >>= check

-- | Returns random bytes from the operating system's generator, such as a secret for
-- "Sealane.Shamir".
--
-- Throws 'Sealane.Error.SealaneError' if the generator fails.
generateBytes :: Int -> IO ByteString
generateBytes !len =
    masked . B.create (max 0 len) $ \to -> randomBytes to (fromIntegral (max 0 len)) >>= check

-- | Copies a key of 32 bytes. Returns 'Nothing' for other lengths.
--
-- The argument is not wiped, because it is on Haskell's heap.
keyFromBytes :: ByteString -> Maybe Key
keyFromBytes bytes
    | B.length bytes == keyBytes =
        Just $! (pureCall . newKey $ \key -> withBytes bytes $ \from _ -> copyBytes key from keyBytes)
    | otherwise = Nothing
