-- |
-- Description: XChaCha20-Poly1305
--
-- XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): authenticated encryption with nonces of 24
-- bytes.
--
-- __A nonce must never be used for two messages under one key__: that reveals both, and lets anyone
-- forge more. Nonces of 24 bytes may be random.
--
-- >>> key <- generateKey
-- >>> let Just nonce = nonceFromBytes (Data.ByteString.replicate 24 0)
-- >>> open key nonce "header" (seal key nonce "header" "attack at dawn")
-- Just "attack at dawn"
--
-- Pieces are processed in 'ST'. In 'IO', use 'Control.Monad.ST.stToIO'. A sealer or opener serves
-- one thread at a time, and others wait.
module Sealane.XChaCha20Poly1305
    ( -- * Nonces
      Nonce
    , nonceBytes
    , nonceFromBytes
    , nonceToBytes
    , generateNonce

      -- * Whole messages
    , seal
    , open
    , tagBytes

      -- * Messages in pieces
    , Sealer
    , newSealer
    , sealPiece
    , finishSealer
    , Opener
    , newOpener
    , authenticatePiece
    , verifyTag
    , decryptPiece
    ) where

import Control.Monad.ST (ST)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Sealane.Aead (Opener, Sealer, authenticatePiece, decryptPiece, finishSealer, sealPiece, tagBytes, verifyTag)
import qualified Sealane.Aead as Aead
import Sealane.Key (Key, generateBytes)

-- | A nonce of 24 bytes.
newtype Nonce = Nonce ByteString
    deriving (Eq, Ord, Show)

-- | The length of a nonce in bytes: 24.
nonceBytes :: Int
nonceBytes = 24

-- | Returns a nonce, or 'Nothing' if the length is wrong.
nonceFromBytes :: ByteString -> Maybe Nonce
nonceFromBytes bytes
    | B.length bytes == nonceBytes = Just (Nonce bytes)
    | otherwise = Nothing

-- | Returns the bytes of a nonce.
nonceToBytes :: Nonce -> ByteString
nonceToBytes (Nonce bytes) = bytes

-- | Returns a random nonce of the operating system's generator.
--
-- Throws 'Sealane.Error.SealaneError' if the generator fails.
generateNonce :: IO Nonce
generateNonce = Nonce <$> generateBytes nonceBytes

-- | Encrypts a message and authenticates it together with associated data. Returns the ciphertext
-- with the tag of 16 bytes behind it.
seal
    :: Key
    -> Nonce
    -> ByteString
    -- ^ Associated data.
    -> ByteString
    -- ^ The message.
    -> ByteString
seal key (Nonce nonce) = Aead.seal Aead.xchacha20Poly1305 key nonce

-- | Decrypts what 'seal' returned. Returns 'Nothing' if it, the associated data, the nonce and the
-- key do not belong together.
open
    :: Key
    -> Nonce
    -> ByteString
    -- ^ Associated data.
    -> ByteString
    -- ^ The ciphertext with its tag.
    -> Maybe ByteString
open key (Nonce nonce) = Aead.open Aead.xchacha20Poly1305 key nonce

-- | Starts a message with its associated data.
newSealer :: Key -> Nonce -> ByteString -> ST s (Sealer s)
newSealer key (Nonce nonce) aad = Aead.newSealer Aead.xchacha20Poly1305 key nonce aad

-- | Starts a message with its associated data.
newOpener :: Key -> Nonce -> ByteString -> ST s (Opener s)
newOpener key (Nonce nonce) aad = Aead.newOpener Aead.xchacha20Poly1305 key nonce aad
