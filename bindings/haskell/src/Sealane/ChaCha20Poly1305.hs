-- |
-- Description: ChaCha20-Poly1305
--
-- ChaCha20-Poly1305 (RFC 8439): authenticated encryption with nonces of 12 bytes.
--
-- __A nonce must never be used for two messages under one key__: that reveals both, and lets anyone
-- forge more. Nonces of 12 bytes are for counters. To draw them at random, use
-- "Sealane.XChaCha20Poly1305".
--
-- >>> key <- generateKey
-- >>> let Just nonce = nonceFromBytes (Data.ByteString.replicate 12 0)
-- >>> open key nonce "header" (seal key nonce "header" "attack at dawn")
-- Just "attack at dawn"
--
-- Pieces are processed in 'ST'. In 'IO', use 'Control.Monad.ST.stToIO'. A sealer or opener serves
-- one thread at a time, and others wait.
module Sealane.ChaCha20Poly1305
    ( -- * Nonces
      Nonce
    , nonceBytes
    , nonceFromBytes
    , nonceToBytes

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
import qualified Sealane.Aead as Aead
import Sealane.Key (Key)

-- | A nonce of 12 bytes.
newtype Nonce = Nonce ByteString
    deriving (Eq, Ord, Show)

-- | The length of a nonce in bytes: 12.
nonceBytes :: Int
nonceBytes = 12

-- | Returns a nonce, or 'Nothing' if the length is wrong.
nonceFromBytes :: ByteString -> Maybe Nonce
nonceFromBytes bytes
    | B.length bytes == nonceBytes = Just (Nonce bytes)
    | otherwise = Nothing

-- | Returns the bytes of a nonce.
nonceToBytes :: Nonce -> ByteString
nonceToBytes (Nonce bytes) = bytes

-- | The length of a tag in bytes: 16.
tagBytes :: Int
tagBytes = Aead.tagBytes

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
seal key (Nonce nonce) = Aead.seal Aead.chacha20Poly1305 key nonce

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
open key (Nonce nonce) = Aead.open Aead.chacha20Poly1305 key nonce

-- | A message that is encrypted in pieces. Its memory is wiped.
newtype Sealer s = Sealer (Aead.Sealer s)

-- | Starts a message with its associated data.
newSealer :: Key -> Nonce -> ByteString -> ST s (Sealer s)
newSealer key (Nonce nonce) aad = Sealer <$> Aead.newSealer Aead.chacha20Poly1305 key nonce aad

-- | Encrypts the next piece, of any length.
--
-- Throws 'Sealane.Error.SealaneError' after 'finishSealer'.
sealPiece :: Sealer s -> ByteString -> ST s ByteString
sealPiece (Sealer sealer) = Aead.sealPiece sealer

-- | Ends the message and returns its tag. 'open' expects it behind the pieces.
--
-- Throws 'Sealane.Error.SealaneError' if it was called before.
finishSealer :: Sealer s -> ST s ByteString
finishSealer (Sealer sealer) = Aead.finishSealer sealer

-- | A message that is read twice: 'authenticatePiece' for each piece, 'verifyTag', then
-- 'decryptPiece' for each piece. No plaintext exists before it is authentic. Its memory is wiped.
newtype Opener s = Opener (Aead.Opener s)

-- | Starts a message with its associated data.
newOpener :: Key -> Nonce -> ByteString -> ST s (Opener s)
newOpener key (Nonce nonce) aad = Opener <$> Aead.newOpener Aead.chacha20Poly1305 key nonce aad

-- | Adds the next piece of the ciphertext, without its tag.
--
-- Throws 'Sealane.Error.SealaneError' after 'verifyTag'.
authenticatePiece :: Opener s -> ByteString -> ST s ()
authenticatePiece (Opener opener) = Aead.authenticatePiece opener

-- | Compares the tag of all pieces with this tag of 16 bytes, in constant time. If they differ, the
-- message is abandoned. For other lengths, it only returns 'False'.
--
-- Throws 'Sealane.Error.SealaneError' if it compared a tag before.
verifyTag :: Opener s -> ByteString -> ST s Bool
verifyTag (Opener opener) = Aead.verifyTag opener

-- | Decrypts the next piece, from the first one on. The pieces must be the bytes that were
-- authenticated, but may be cut elsewhere.
--
-- Throws 'Sealane.Error.SealaneError' if 'verifyTag' was not called or returned 'False', and behind
-- the end of the message.
decryptPiece :: Opener s -> ByteString -> ST s ByteString
decryptPiece (Opener opener) = Aead.decryptPiece opener
