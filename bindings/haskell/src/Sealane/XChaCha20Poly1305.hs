-- |
-- Description: XChaCha20-Poly1305
--
-- XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): authenticated encryption with nonces of 24
-- bytes.
--
-- __A nonce must never be used for two messages under one key__: that reveals the XOR of both
-- messages, and lets an attacker forge others. Nonces of 24 bytes may be random.
--
-- >>> key <- generateKey
-- >>> let Just nonce = nonceFromBytes (Data.ByteString.replicate 24 0)
-- >>> open key nonce "header" (seal key nonce "header" "attack at dawn")
-- Just "attack at dawn"
--
-- Pieces are processed in 'Control.Monad.ST.ST'. In 'IO', use 'Control.Monad.ST.stToIO'. A sealer
-- or opener serves one thread at a time, and others wait.
module Sealane.XChaCha20Poly1305
    ( XChaCha20Poly1305
    , Nonce
    , nonceBytes
    , nonceFromBytes
    , generateNonce
    , module Sealane.Aead
    ) where

import Data.ByteString (ByteString)
import Sealane.Aead
import Sealane.Aead.Nonce (Aead (number), ofLength, random)

-- | A type-level tag for the nonces of XChaCha20-Poly1305.
data XChaCha20Poly1305

instance Aead XChaCha20Poly1305 where
    number _ = 2

-- | A nonce of 24 bytes.
type Nonce = AeadNonce XChaCha20Poly1305

-- | The length of a nonce in bytes: 24.
nonceBytes :: Int
nonceBytes = 24

-- | Returns a nonce, or 'Nothing' if the length is wrong.
nonceFromBytes :: ByteString -> Maybe Nonce
nonceFromBytes = ofLength nonceBytes

-- | Returns a random nonce from the operating system's generator.
--
-- Throws 'Sealane.Error.SealaneError' if the generator fails.
generateNonce :: IO Nonce
generateNonce = random nonceBytes
