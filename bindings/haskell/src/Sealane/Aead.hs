-- | Both AEADs. They differ in their numbers and in the lengths of their nonces.
module Sealane.Aead
    ( Aead
    , chacha20Poly1305
    , xchacha20Poly1305
    , tagBytes
    , seal
    , open
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

import Control.Exception (mask_)
import Control.Monad (when)
import Control.Monad.ST (ST)
import Control.Monad.ST.Unsafe (unsafeIOToST)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Internal as B (create, createUptoN')
import Data.Word (Word32)
import Foreign.ForeignPtr (ForeignPtr, newForeignPtr, withForeignPtr)
import Foreign.Ptr (nullPtr, plusPtr)
import Sealane.Foreign
import Sealane.Key (Key, withKey)
import System.IO.Unsafe (unsafePerformIO)

-- | The number of an AEAD in the C interface.
type Aead = Word32

chacha20Poly1305, xchacha20Poly1305 :: Aead
chacha20Poly1305 = 1
xchacha20Poly1305 = 2

-- | The length of a tag in bytes: 16.
tagBytes :: Int
tagBytes = 16

-- | Returns the ciphertext with the tag behind it.
seal :: Aead -> Key -> ByteString -> ByteString -> ByteString -> ByteString
seal aead key nonce aad plaintext = unsafePerformIO $
    withKey key $ \keyPtr -> withBytes nonce $ \noncePtr nonceLen -> withBytes aad $ \aadPtr aadLen ->
        transform plaintext (len + tagBytes) $ \from size to ->
            call aead keyPtr noncePtr nonceLen aadPtr aadLen from size to (to `plusPtr` len) >>= check
  where
    len = B.length plaintext
    call = if isShort len then aeadSealUnsafe else aeadSealSafe

-- | Returns the plaintext, if the message is authentic.
open :: Aead -> Key -> ByteString -> ByteString -> ByteString -> Maybe ByteString
open aead key nonce aad message
    | len < 0 = Nothing
    | otherwise = unsafePerformIO $
        withKey key $ \keyPtr -> withBytes nonce $ \noncePtr nonceLen -> withBytes aad $ \aadPtr aadLen ->
            withBytes message $ \from _ -> do
                -- The C function leaves only zeros if the message is not authentic.
                (plaintext, isAuthentic) <- B.createUptoN' len $ \to -> do
                    status <- call aead keyPtr noncePtr nonceLen aadPtr aadLen from size (from `plusPtr` len) to
                    (,) len <$> checkAuthentic status
                pure (if isAuthentic then Just plaintext else Nothing)
  where
    len = B.length message - tagBytes
    size = fromIntegral len
    call = if isShort len then aeadOpenUnsafe else aeadOpenSafe

-- | A message that is encrypted in pieces.
newtype Sealer s = Sealer (ForeignPtr SealerContext)

newSealer :: Aead -> Key -> ByteString -> ByteString -> ST s (Sealer s)
newSealer aead key nonce aad = unsafeIOToST $ do
    context <- mask_ (sealerNew >>= \new -> when (new == nullPtr) (check 255) >> newForeignPtr sealerFree new)
    withForeignPtr context $ \ctx -> withKey key $ \keyPtr -> withBytes nonce $ \noncePtr nonceLen ->
        withBytes aad $ \aadPtr aadLen -> sealerInit ctx aead keyPtr noncePtr nonceLen aadPtr aadLen >>= check
    pure (Sealer context)

sealPiece :: Sealer s -> ByteString -> ST s ByteString
sealPiece (Sealer context) piece = unsafeIOToST . withForeignPtr context $ \ctx ->
    transform piece (B.length piece) $ \from len to -> update ctx from len to >>= check
  where
    update = if isShort (B.length piece) then sealerUpdateUnsafe else sealerUpdateSafe

finishSealer :: Sealer s -> ST s ByteString
finishSealer (Sealer context) =
    unsafeIOToST . withForeignPtr context $ \ctx -> B.create tagBytes $ \tag -> sealerFinal ctx tag >>= check

-- | A message that is authenticated, then decrypted, in pieces.
newtype Opener s = Opener (ForeignPtr OpenerContext)

newOpener :: Aead -> Key -> ByteString -> ByteString -> ST s (Opener s)
newOpener aead key nonce aad = unsafeIOToST $ do
    context <- mask_ (openerNew >>= \new -> when (new == nullPtr) (check 255) >> newForeignPtr openerFree new)
    withForeignPtr context $ \ctx -> withKey key $ \keyPtr -> withBytes nonce $ \noncePtr nonceLen ->
        withBytes aad $ \aadPtr aadLen -> openerInit ctx aead keyPtr noncePtr nonceLen aadPtr aadLen >>= check
    pure (Opener context)

authenticatePiece :: Opener s -> ByteString -> ST s ()
authenticatePiece (Opener context) piece = unsafeIOToST . withForeignPtr context $ \ctx ->
    withBytes piece $ \from len -> authenticate ctx from len >>= check
  where
    authenticate = if isShort (B.length piece) then openerAuthenticateUnsafe else openerAuthenticateSafe

verifyTag :: Opener s -> ByteString -> ST s Bool
verifyTag (Opener context) tag
    | B.length tag /= tagBytes = pure False
    | otherwise = unsafeIOToST . withForeignPtr context $ \ctx ->
        withBytes tag $ \tagPtr _ -> openerVerify ctx tagPtr >>= checkAuthentic

decryptPiece :: Opener s -> ByteString -> ST s ByteString
decryptPiece (Opener context) piece = unsafeIOToST . withForeignPtr context $ \ctx ->
    transform piece (B.length piece) $ \from len to -> decrypt ctx from len to >>= check
  where
    decrypt = if isShort (B.length piece) then openerDecryptUnsafe else openerDecryptSafe
