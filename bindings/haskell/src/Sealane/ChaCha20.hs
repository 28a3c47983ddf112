{-# LANGUAGE BangPatterns #-}

-- |
-- Description: ChaCha20 and XChaCha20
--
-- Key streams without authentication. They do not detect changes: use "Sealane.ChaCha20Poly1305"
-- unless a protocol has its own authentication.
module Sealane.ChaCha20
    ( Nonce (..)
    , xor
    , keyStream
    ) where

import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Word (Word32, Word64)
import Sealane.Foreign (chacha20XorSafe, chacha20XorUnsafe, check, isShort, pureCall, transform, withBytes)
import Sealane.Key (Key, withKey)

-- | A nonce, whose constructor chooses the cipher. 'xor' throws if its length is wrong.
data Nonce
    = -- | ChaCha20 of RFC 8439: 12 bytes, and a block counter of 32 bits.
      ChaCha20 ByteString
    | -- | XChaCha20 of draft-irtf-cfrg-xchacha-03: 24 bytes, and a block counter of 32 bits.
      XChaCha20 ByteString
    | -- | ChaCha20 as first published: 8 bytes, and a block counter of 64 bits.
      Original ByteString
    deriving (Eq, Ord, Show)

variant :: Nonce -> (Word32, ByteString)
variant (ChaCha20 nonce) = (1, nonce)
variant (XChaCha20 nonce) = (2, nonce)
variant (Original nonce) = (3, nonce)

-- | Encrypts or decrypts with the key stream from a block on. A block has 64 bytes.
--
-- Throws 'Sealane.Error.SealaneError' if the nonce has a wrong length, or the key stream ends
-- before the data.
xor
    :: Key
    -> Nonce
    -> Word64
    -- ^ The number of the first block.
    -> ByteString
    -> ByteString
xor !key nonce !block !input = pureCall $
    withKey key $ \keyPtr -> withBytes bytes $ \noncePtr nonceLen ->
        transform input (B.length input) $ \from len to ->
            call number keyPtr noncePtr nonceLen block from len to >>= check
  where
    !(!number, !bytes) = variant nonce
    call = if isShort (B.length input) then chacha20XorUnsafe else chacha20XorSafe

-- | Returns bytes of the key stream from a block on.
--
-- Throws the same errors as 'xor'.
keyStream
    :: Key
    -> Nonce
    -> Word64
    -- ^ The number of the first block.
    -> Int
    -- ^ The number of bytes.
    -> ByteString
keyStream key nonce block len = xor key nonce block (B.replicate len 0)
