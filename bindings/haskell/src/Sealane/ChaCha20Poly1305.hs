-- |
-- Description: ChaCha20-Poly1305
--
-- ChaCha20-Poly1305 (RFC 8439): authenticated encryption with nonces of 12 bytes.
--
-- __A nonce must never be used for two messages under one key__: that reveals the XOR of both
-- messages, and lets an attacker forge others. Nonces of 12 bytes are suitable for counters. For
-- random nonces, use "Sealane.XChaCha20Poly1305".
--
-- >>> key <- generateKey
-- >>> let Just nonce = nonceFromBytes (Data.ByteString.replicate 12 0)
-- >>> open key nonce "header" (seal key nonce "header" "attack at dawn")
-- Just "attack at dawn"
--
-- Pieces are processed in 'Control.Monad.ST.ST'. In 'IO', use 'Control.Monad.ST.stToIO'. A sealer
-- or opener serves one thread at a time, and others wait.
module Sealane.ChaCha20Poly1305
    ( ChaCha20Poly1305
    , Nonce
    , nonceBytes
    , nonceFromBytes
    , module Sealane.Aead
    ) where

import Data.ByteString (ByteString)
import Sealane.Aead
import Sealane.Aead.Nonce (Aead (number), ofLength)

-- | A type-level tag for the nonces of ChaCha20-Poly1305.
data ChaCha20Poly1305

instance Aead ChaCha20Poly1305 where
    number _ = 1

-- | A nonce of 12 bytes.
type Nonce = AeadNonce ChaCha20Poly1305

-- | The length of a nonce in bytes: 12.
nonceBytes :: Int
nonceBytes = 12

-- | Returns a nonce, or 'Nothing' if the length is wrong.
nonceFromBytes :: ByteString -> Maybe Nonce
nonceFromBytes = ofLength nonceBytes
