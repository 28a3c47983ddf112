{-# LANGUAGE RoleAnnotations #-}

-- | The AEADs and their nonces.
module Sealane.Aead.Nonce
    ( Aead (..)
    , AeadNonce
    , ofLength
    , nonceToBytes
    , random
    ) where

import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Word (Word32)
import Sealane.Key (generateBytes)

-- | The AEADs: ChaCha20-Poly1305 and XChaCha20-Poly1305.
class Aead aead where
    -- | The number of the AEAD in the C interface.
    number :: AeadNonce aead -> Word32

-- | A nonce of an AEAD.
newtype AeadNonce aead = Nonce ByteString
    deriving (Eq, Ord, Show)

-- Without this, @coerce@ could turn a nonce of one AEAD into a nonce of the other.
type role AeadNonce nominal

-- | Returns a nonce, or 'Nothing' if the bytes have another length.
ofLength :: Int -> ByteString -> Maybe (AeadNonce aead)
ofLength len bytes
    | B.length bytes == len = Just (Nonce bytes)
    | otherwise = Nothing

-- | Returns the bytes of a nonce.
nonceToBytes :: AeadNonce aead -> ByteString
nonceToBytes (Nonce bytes) = bytes

-- | Returns a nonce of random bytes from the operating system's generator.
random :: Int -> IO (AeadNonce aead)
random len = Nonce <$> generateBytes len
