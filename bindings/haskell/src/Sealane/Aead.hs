{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE RoleAnnotations #-}

-- | The interface of both AEADs, which their modules export.
module Sealane.Aead
    ( -- * AEADs and nonces
      Aead
    , AeadNonce
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
import Control.Monad.ST.Unsafe (unsafeIOToST)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Internal as B (createUptoN')
import Data.Word (Word8)
import Foreign.C.Types (CSize)
import Foreign.Ptr (Ptr, plusPtr)
import Sealane.Aead.Nonce
import Sealane.Foreign
import Sealane.Key (Key, withKey)

-- | The length of a tag in bytes: 16.
tagBytes :: Int
tagBytes = 16

-- | Encrypts a message and authenticates it together with associated data. Returns the ciphertext,
-- followed by the tag of 16 bytes.
seal
    :: Aead aead
    => Key
    -> AeadNonce aead
    -> ByteString
    -- ^ Associated data.
    -> ByteString
    -- ^ The message.
    -> ByteString
seal !key !nonce !aad !plaintext = pureCall $
    withKey key $ \keyPtr -> withNonce nonce $ \noncePtr nonceLen -> withBytes aad $ \aadPtr aadLen ->
        transform plaintext (len + tagBytes) $ \from size to ->
            call (number nonce) keyPtr noncePtr nonceLen aadPtr aadLen from size to (to `plusPtr` len) >>= check
  where
    len = B.length plaintext
    call = if isShort (len + B.length aad) then aeadSealUnsafe else aeadSealSafe

-- | Decrypts what 'seal' returned. Returns 'Nothing' if the tag does not match the ciphertext, the
-- associated data, the nonce and the key.
open
    :: Aead aead
    => Key
    -> AeadNonce aead
    -> ByteString
    -- ^ Associated data.
    -> ByteString
    -- ^ The ciphertext with its tag.
    -> Maybe ByteString
open !key !nonce !aad !message
    | len < 0 = Nothing
    | otherwise = pureCall $
        withKey key $ \keyPtr -> withNonce nonce $ \noncePtr nonceLen -> withBytes aad $ \aadPtr aadLen ->
            withBytes message $ \from _ -> do
                -- The C function leaves only zeros if the message is not authentic.
                (plaintext, isAuthentic) <- B.createUptoN' len $ \to -> do
                    status <- call (number nonce) keyPtr noncePtr nonceLen aadPtr aadLen from size (from `plusPtr` len) to
                    (,) len <$> checkAuthentic status
                pure (if isAuthentic then Just plaintext else Nothing)
  where
    len = B.length message - tagBytes
    size = fromIntegral len
    call = if isShort (len + B.length aad) then aeadOpenUnsafe else aeadOpenSafe

-- | A message that is encrypted in pieces. Its memory is wiped.
newtype Sealer s = Sealer (Context SealerContext)

-- Without this, @coerce@ could take a sealer out of its thread of 'ST'.
type role Sealer nominal

-- | Starts a message with its associated data.
newSealer :: Aead aead => Key -> AeadNonce aead -> ByteString -> ST s (Sealer s)
newSealer !key !nonce !aad = fmap Sealer . newContext sealerNew $ \context ->
    withKey key $ \keyPtr -> withNonce nonce $ \noncePtr nonceLen -> withBytes aad $ \aadPtr aadLen ->
        sealerInit context (number nonce) keyPtr noncePtr nonceLen aadPtr aadLen

-- | Encrypts the next piece, of any length.
--
-- Throws 'Sealane.Error.SealaneError' after 'finishSealer', and if the message gets longer than 256
-- GiB.
sealPiece :: Sealer s -> ByteString -> ST s ByteString
sealPiece (Sealer sealer) !piece = inContext sealer (tryTransform piece . update) >>= checked
  where
    update = if isShort (B.length piece) then sealerUpdateUnsafe else sealerUpdateSafe

-- | Ends the message and returns its tag. 'open' expects the tag after the pieces.
--
-- Throws 'Sealane.Error.SealaneError' if it was called before.
finishSealer :: Sealer s -> ST s ByteString
finishSealer (Sealer sealer) =
    inContext sealer (\context -> B.createUptoN' tagBytes $ fmap ((,) tagBytes) . sealerFinal context) >>= checked

-- | A message whose ciphertext is read twice: 'authenticatePiece' for each piece, 'verifyTag', then
-- 'decryptPiece' for each piece. No plaintext exists before it is authentic. Its memory is wiped.
newtype Opener s = Opener (Context OpenerContext)

type role Opener nominal

-- | Starts a message with its associated data.
newOpener :: Aead aead => Key -> AeadNonce aead -> ByteString -> ST s (Opener s)
newOpener !key !nonce !aad = fmap Opener . newContext openerNew $ \context ->
    withKey key $ \keyPtr -> withNonce nonce $ \noncePtr nonceLen -> withBytes aad $ \aadPtr aadLen ->
        openerInit context (number nonce) keyPtr noncePtr nonceLen aadPtr aadLen

-- | Adds the next piece of the ciphertext, without its tag.
--
-- Throws 'Sealane.Error.SealaneError' after 'verifyTag', and if the message gets longer than 256
-- GiB.
authenticatePiece :: Opener s -> ByteString -> ST s ()
authenticatePiece (Opener opener) !piece =
    inContext opener (withBytes piece . authenticate) >>= unsafeIOToST . check
  where
    authenticate = if isShort (B.length piece) then openerAuthenticateUnsafe else openerAuthenticateSafe

-- | Compares the tag of all pieces with this tag of 16 bytes, in constant time. If they differ, the
-- message is abandoned. For a tag of another length, this returns 'False' and changes nothing.
--
-- Throws 'Sealane.Error.SealaneError' if a tag has been compared before.
verifyTag :: Opener s -> ByteString -> ST s Bool
verifyTag (Opener opener) tag
    | B.length tag /= tagBytes = pure False
    | otherwise =
        inContext opener (\context -> withBytes tag (const . openerVerify context)) >>= unsafeIOToST . checkAuthentic

-- | Decrypts the next piece, from the first one on. The pieces must be the bytes that were
-- authenticated, but may be cut elsewhere.
--
-- Throws 'Sealane.Error.SealaneError' if 'verifyTag' was not called or returned 'False', and past
-- the end of the message.
decryptPiece :: Opener s -> ByteString -> ST s ByteString
decryptPiece (Opener opener) !piece = inContext opener (tryTransform piece . decrypt) >>= checked
  where
    decrypt = if isShort (B.length piece) then openerDecryptUnsafe else openerDecryptSafe

withNonce :: AeadNonce aead -> (Ptr Word8 -> CSize -> IO a) -> IO a
withNonce = withBytes . nonceToBytes

-- | Returns bytes that were written successfully. Throws otherwise.
checked :: (ByteString, Status) -> ST s ByteString
checked (bytes, status) = unsafeIOToST (bytes <$ check status)
