{-# LANGUAGE ForeignFunctionInterface #-}

-- |
-- Description: ChaCha20-Poly1305 with the interface of crypton
--
-- The functions of @Crypto.Cipher.ChaChaPoly1305@ of crypton and cryptonite, with their types and
-- results: a program changes one import. This module is in the package if its flag @crypton@ is
-- set, with the types of cryptonite if the flag @cryptonite@ is, too.
--
-- __'decrypt' returns text that nobody has authenticated yet.__ Use nothing of it before the tag of
-- 'finalize' has been compared. "Sealane.ChaCha20Poly1305" returns authentic text only.
module Sealane.Crypton
    ( State
    , Nonce
    , nonce12
    , nonce8
    , incrementNonce
    , initialize
    , appendAAD
    , finalizeAAD
    , encrypt
    , decrypt
    , finalize
    ) where

import Control.Exception (bracket_)
import Control.Monad (when)
import Crypto.Error (CryptoError (..), CryptoFailable (..))
import qualified Crypto.MAC.Poly1305 as Poly1305
import Data.Bits (shiftR)
import Data.ByteArray (ByteArray, ByteArrayAccess, convert)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Internal as B (create)
import Data.Word (Word64, Word8)
import Foreign.C.Types (CSize (..))
import Foreign.ForeignPtr (ForeignPtr, newForeignPtr, withForeignPtr)
import Foreign.Marshal.Alloc (allocaBytes)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.Ptr (FunPtr, Ptr, nullPtr)
import qualified Sealane.ChaCha20 as ChaCha20
import Sealane.Foreign (Status, chacha20XorUnsafe, check, isShort, pureCall, withBytes)
import Sealane.Key (Key, keyFromBytes, withKey)

-- | A nonce of 12 bytes, and the number of bytes at its beginning that 'incrementNonce' keeps.
data Nonce = Nonce Int ByteString
    deriving (Eq)

-- | Shows the bytes: a nonce is no secret.
instance Show Nonce where
    showsPrec level (Nonce _ bytes) = showsPrec level bytes

-- | A message: its cipher, its authenticator, and the lengths of the associated data and of the
-- text. It can be used any number of times.
data State = State Key ByteString (ForeignPtr Poly1305Context) Word64 Word64

-- | Returns a nonce of 12 bytes, or 'CryptoError_IvSizeInvalid'.
nonce12 :: ByteArrayAccess iv => iv -> CryptoFailable Nonce
nonce12 iv
    | B.length bytes == 12 = CryptoPassed (Nonce 0 bytes)
    | otherwise = CryptoFailed CryptoError_IvSizeInvalid
  where
    bytes = convert iv

-- | Returns the nonce of 4 constant bytes and 8 others, or 'CryptoError_IvSizeInvalid'.
nonce8
    :: ByteArrayAccess ba
    => ba
    -- ^ The constant bytes.
    -> ba
    -- ^ The others, which 'incrementNonce' changes.
    -> CryptoFailable Nonce
nonce8 constant iv
    | (B.length first, B.length rest) == (4, 8) = CryptoPassed (Nonce 4 (first <> rest))
    | otherwise = CryptoFailed CryptoError_IvSizeInvalid
  where
    (first, rest) = (convert constant, convert iv)

-- | Adds 1 to a nonce, whose first byte is the least one. After the greatest nonce comes 0, which
-- must not happen under one key.
incrementNonce :: Nonce -> Nonce
incrementNonce (Nonce kept bytes) = Nonce kept (constant <> B.pack (increment (B.unpack counter)))
  where
    (constant, counter) = B.splitAt kept bytes
    increment (255 : rest) = 0 : increment rest
    increment (byte : rest) = byte + 1 : rest
    increment [] = []

-- | Starts a message under a key of 32 bytes. Other lengths are 'CryptoError_KeySizeInvalid'.
initialize :: ByteArrayAccess key => key -> Nonce -> CryptoFailable State
initialize secret (Nonce _ nonce) = case keyFromBytes (convert secret) of
    Nothing -> CryptoFailed CryptoError_KeySizeInvalid
    Just key -> CryptoPassed . pureCall . allocaBytes 32 $ \oneTime -> bracket_ (wipe oneTime) (wipe oneTime) $ do
        withKey key $ \keyPtr -> withBytes nonce $ \noncePtr nonceLen ->
            chacha20XorUnsafe 1 keyPtr noncePtr nonceLen 0 oneTime 32 oneTime >>= check
        context <- poly1305New >>= owned
        withForeignPtr context (`poly1305Init` oneTime) >>= check
        pure (State key nonce context 0 0)
  where
    wipe memory = fillBytes memory 0 32

-- | Adds associated data. Anything else must come later.
appendAAD :: ByteArrayAccess ba => ba -> State -> State
appendAAD aad (State key nonce context aadLen len) =
    State key nonce (add bytes context) (aadLen + fromIntegral (B.length bytes)) len
  where
    bytes = convert aad

-- | Ends the associated data, which may be empty. The text follows.
finalizeAAD :: State -> State
finalizeAAD (State key nonce context aadLen len) = State key nonce (add (padding aadLen) context) aadLen len

-- | Encrypts the next piece of the text.
encrypt :: ByteArray ba => ba -> State -> (ba, State)
encrypt plaintext state = (convert ciphertext, added ciphertext state)
  where
    ciphertext = transform (convert plaintext) state

-- | Decrypts the next piece of the text, before anybody has authenticated it.
decrypt :: ByteArray ba => ba -> State -> (ba, State)
decrypt ciphertext state = (convert (transform bytes state), added bytes state)
  where
    bytes = convert ciphertext

-- | Returns the tag. Compare it with '==' of its type, which takes constant time.
finalize :: State -> Poly1305.Auth
finalize (State _ _ context aadLen len) = Poly1305.Auth (convert tag)
  where
    lengths = B.pack [fromIntegral (n `shiftR` bits) | n <- [aadLen, len], bits <- [0, 8 .. 56]]
    tag = pureCall $ do
        -- A copy, because the state may be used again.
        final <- copyWith (padding len <> lengths) context
        B.create 16 $ \to -> withForeignPtr final (`poly1305Final` to) >>= check

-- | What fills up a block of Poly1305 after so many bytes.
padding :: Word64 -> ByteString
padding len = B.replicate (fromIntegral (negate len `mod` 16)) 0

-- | Combines a piece with the key stream. Block 0 made the key of the authenticator.
--
-- Throws 'Sealane.Error.SealaneError' if the key stream ends before the piece: after 256 GiB.
transform :: ByteString -> State -> ByteString
transform piece (State key nonce _ _ len) = B.drop used (ChaCha20.xor key (ChaCha20.ChaCha20 nonce) block text)
  where
    used = fromIntegral (len `mod` 64)
    block = 1 + len `div` 64
    text = if used == 0 then piece else B.replicate used 0 <> piece

added :: ByteString -> State -> State
added ciphertext (State key nonce context aadLen len) =
    State key nonce (add ciphertext context) aadLen (len + fromIntegral (B.length ciphertext))

-- | @sealane_poly1305@
data Poly1305Context

add :: ByteString -> ForeignPtr Poly1305Context -> ForeignPtr Poly1305Context
add bytes = pureCall . copyWith bytes

-- | Returns a copy that has authenticated more bytes.
copyWith :: ByteString -> ForeignPtr Poly1305Context -> IO (ForeignPtr Poly1305Context)
copyWith bytes context = do
    copy <- withForeignPtr context poly1305Dup >>= owned
    withForeignPtr copy (\pointer -> withBytes bytes (update pointer)) >>= check
    pure copy
  where
    update = if isShort (B.length bytes) then poly1305UpdateUnsafe else poly1305UpdateSafe

-- | The finalizer wipes the memory.
owned :: Ptr Poly1305Context -> IO (ForeignPtr Poly1305Context)
owned pointer = do
    when (pointer == nullPtr) (check 255)
    newForeignPtr poly1305Free pointer

foreign import ccall unsafe "sealane.h sealane_poly1305_new"
    poly1305New :: IO (Ptr Poly1305Context)

foreign import ccall unsafe "sealane.h sealane_poly1305_init"
    poly1305Init :: Ptr Poly1305Context -> Ptr Word8 -> IO Status

foreign import ccall unsafe "sealane.h sealane_poly1305_dup"
    poly1305Dup :: Ptr Poly1305Context -> IO (Ptr Poly1305Context)

foreign import ccall unsafe "sealane.h sealane_poly1305_update"
    poly1305UpdateUnsafe :: Ptr Poly1305Context -> Ptr Word8 -> CSize -> IO Status

foreign import ccall safe "sealane.h sealane_poly1305_update"
    poly1305UpdateSafe :: Ptr Poly1305Context -> Ptr Word8 -> CSize -> IO Status

foreign import ccall unsafe "sealane.h sealane_poly1305_final"
    poly1305Final :: Ptr Poly1305Context -> Ptr Word8 -> IO Status

foreign import ccall "&sealane_poly1305_free"
    poly1305Free :: FunPtr (Ptr Poly1305Context -> IO ())
