{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE ForeignFunctionInterface #-}

-- |
-- Description: ChaCha20-Poly1305 with the interface of crypton
--
-- The functions of @Crypto.Cipher.ChaChaPoly1305@ in crypton 1.0.4 to 2.0, except 1.0.7, with the
-- same names, types and results, so a program changes only one import. Older versions, and
-- cryptonite, have only some of them. The package contains this module if its flag @crypton@ is
-- set. If the flag @cryptonite@ is set too, the types are those of cryptonite.
--
-- A result has the type of its input, so a text in @ScrubbedBytes@ is never copied to memory that
-- is not wiped. Keys are copied only to memory that is wiped.
--
-- __'decrypt' returns text that has not been authenticated yet.__ Use nothing of it before the tag
-- from 'finalize' has been compared. "Sealane.ChaCha20Poly1305" returns only authentic text.
module Sealane.Crypton
    ( -- * AEAD
      ChaCha20Poly1305
    , aeadChacha20poly1305Init

      -- * Messages in pieces
    , State
    , Nonce
    , XNonce
    , nonce12
    , nonce8
    , nonce24
    , incrementNonce
    , initialize
    , initializeX
    , appendAAD
    , finalizeAAD
    , encrypt
    , decrypt
    , finalize
    ) where

import Control.Exception (finally)
import Control.Monad (when)
import Crypto.Cipher.Types (AEAD (..), AEADModeImpl (..), AuthTag (..))
import Crypto.Error (CryptoError (..), CryptoFailable (..))
import qualified Crypto.MAC.Poly1305 as Poly1305
import Data.Bits (shiftR)
import Data.ByteArray (ByteArray, ByteArrayAccess, convert, withByteArray)
import qualified Data.ByteArray as ByteArray
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Word (Word32, Word64, Word8)
import Foreign.C.Types (CSize (..))
import Foreign.ForeignPtr (ForeignPtr, newForeignPtr, withForeignPtr)
import Foreign.Marshal.Alloc (allocaBytes)
import Foreign.Marshal.Utils (copyBytes, fillBytes)
import Foreign.Ptr (FunPtr, Ptr, nullPtr, plusPtr)
import Sealane.Foreign (Status, chacha20XorSafe, chacha20XorUnsafe, check, isShort, pureCall, withBytes)
import Sealane.Key.Memory (Key, keyBytes, newKey, withKey)

-- | A nonce of 12 bytes, and the number of bytes at its beginning that 'incrementNonce' keeps.
data Nonce = Nonce !Int !ByteString
    deriving (Eq)

-- | Shows the bytes: a nonce is no secret.
instance Show Nonce where
    showsPrec level (Nonce _ bytes) = showsPrec level bytes

-- | The 12 bytes.
instance ByteArrayAccess Nonce where
    length (Nonce _ bytes) = ByteArray.length bytes
    withByteArray (Nonce _ bytes) = withByteArray bytes

-- | A nonce of 24 bytes, for XChaCha20-Poly1305.
newtype XNonce = XNonce ByteString
    deriving (Eq)

-- | Shows the bytes: a nonce is no secret.
instance Show XNonce where
    showsPrec level (XNonce bytes) = showsPrec level bytes

-- | The 24 bytes.
instance ByteArrayAccess XNonce where
    length (XNonce bytes) = ByteArray.length bytes
    withByteArray (XNonce bytes) = withByteArray bytes

-- | A message, which can be used any number of times.
data State = State
    { cipher :: !Cipher
    , authenticator :: !(ForeignPtr Poly1305Context)
    , aadBytes :: !Word64
    , textBytes :: !Word64
    }

-- | The number of a cipher in the C interface, its key and its nonce.
data Cipher = Cipher !Word32 !Key !ByteString

-- | The cipher of 'AEAD' in "Crypto.Cipher.Types".
type ChaCha20Poly1305 = State

-- | Starts a message for the functions of "Crypto.Cipher.Types", under a key of 32 bytes with a
-- nonce of 12 bytes. Other lengths give 'CryptoError_KeySizeInvalid' or
-- 'CryptoError_IvSizeInvalid'.
aeadChacha20poly1305Init
    :: (ByteArrayAccess key, ByteArrayAccess nonce) => key -> nonce -> CryptoFailable (AEAD ChaCha20Poly1305)
aeadChacha20poly1305Init key nonce = AEAD model <$> (nonce12 nonce >>= initialize key)
  where
    model =
        AEADModeImpl
            { aeadImplAppendHeader = \state aad -> finalizeAAD (appendAAD aad state)
            , aeadImplEncrypt = \state plaintext -> encrypt plaintext state
            , aeadImplDecrypt = \state ciphertext -> decrypt ciphertext state
            , aeadImplFinalize = \state _ -> let Poly1305.Auth tag = finalize state in AuthTag tag
            }

-- | Returns a nonce of 12 bytes, or 'CryptoError_IvSizeInvalid'.
nonce12 :: ByteArrayAccess iv => iv -> CryptoFailable Nonce
nonce12 iv
    | ByteArray.length iv == 12 = CryptoPassed (Nonce 0 (convert iv))
    | otherwise = CryptoFailed CryptoError_IvSizeInvalid

-- | Returns the nonce that consists of 4 constant bytes and 8 others, or
-- 'CryptoError_IvSizeInvalid'.
nonce8
    :: ByteArrayAccess ba
    => ba
    -- ^ The constant bytes.
    -> ba
    -- ^ The others, which 'incrementNonce' changes.
    -> CryptoFailable Nonce
nonce8 constant iv
    | (ByteArray.length constant, ByteArray.length iv) == (4, 8) = CryptoPassed (Nonce 4 (convert constant <> convert iv))
    | otherwise = CryptoFailed CryptoError_IvSizeInvalid

-- | Returns a nonce of 24 bytes, or 'CryptoError_IvSizeInvalid'.
nonce24 :: ByteArrayAccess ba => ba -> CryptoFailable XNonce
nonce24 iv
    | ByteArray.length iv == 24 = CryptoPassed (XNonce $! convert iv)
    | otherwise = CryptoFailed CryptoError_IvSizeInvalid

-- | Adds 1 to a nonce as a little-endian number, except to its constant bytes. The largest number
-- is followed by 0, which must not happen under one key.
incrementNonce :: Nonce -> Nonce
incrementNonce (Nonce kept bytes) = Nonce kept (constant <> B.pack (increment (B.unpack counter)))
  where
    (constant, counter) = B.splitAt kept bytes
    increment (255 : rest) = 0 : increment rest
    increment (byte : rest) = byte + 1 : rest
    increment [] = []

-- | Starts a message under a key of 32 bytes. Other lengths give 'CryptoError_KeySizeInvalid'.
initialize :: ByteArrayAccess key => key -> Nonce -> CryptoFailable State
initialize secret (Nonce _ nonce) = start 1 secret nonce

-- | Starts a message of XChaCha20-Poly1305 under a key of 32 bytes. Other lengths give
-- 'CryptoError_KeySizeInvalid'.
initializeX :: ByteArrayAccess key => key -> XNonce -> CryptoFailable State
initializeX secret (XNonce !nonce) = start 2 secret nonce

-- | Starts a message of the cipher with this number. Block 0 of the key stream gives the key of the
-- authenticator.
start :: ByteArrayAccess key => Word32 -> key -> ByteString -> CryptoFailable State
start number secret nonce
    | ByteArray.length secret == keyBytes = CryptoPassed $! pureCall begin
    | otherwise = CryptoFailed CryptoError_KeySizeInvalid
  where
    begin = do
        key <- newKey $ \to -> withByteArray secret $ \from -> copyBytes to from keyBytes
        let chosen = Cipher number key nonce
        context <- poly1305New >>= owned
        withScratch keyBytes $ \oneTime -> do
            xor chosen 0 oneTime keyBytes oneTime
            withForeignPtr context (`poly1305Init` oneTime) >>= check
        pure State{cipher = chosen, authenticator = context, aadBytes = 0, textBytes = 0}

-- | Adds associated data. All of it must be added before anything else.
appendAAD :: ByteArrayAccess ba => ba -> State -> State
appendAAD aad state =
    state
        { authenticator = add aad (authenticator state)
        , aadBytes = aadBytes state + fromIntegral (ByteArray.length aad)
        }

-- | Ends the associated data, which may be empty. The text follows.
finalizeAAD :: State -> State
finalizeAAD state = state{authenticator = add (padding (aadBytes state)) (authenticator state)}

-- | Encrypts the next piece of the text.
encrypt :: ByteArray ba => ba -> State -> (ba, State)
encrypt plaintext state = (ciphertext, added ciphertext state)
  where
    ciphertext = transform plaintext state

-- | Decrypts the next piece of the text, which has not been authenticated yet.
decrypt :: ByteArray ba => ba -> State -> (ba, State)
decrypt ciphertext state = (transform ciphertext state, added ciphertext state)

-- | Returns the tag. Compare it with '==', which takes constant time for its type.
finalize :: State -> Poly1305.Auth
finalize !state = Poly1305.Auth tag
  where
    lengths = B.pack [fromIntegral (n `shiftR` bits) | n <- [aadBytes state, textBytes state], bits <- [0, 8 .. 56]]
    tag = pureCall $ do
        -- A copy, because the state may be used again.
        final <- copyWith (padding (textBytes state) <> lengths) (authenticator state)
        ByteArray.alloc 16 $ \to -> withForeignPtr final (`poly1305Final` to) >>= check

-- | Returns the zeros that pad this number of bytes to full Poly1305 blocks.
padding :: Word64 -> ByteString
padding len = B.replicate (fromIntegral (negate len `mod` 16)) 0

-- | Combines a piece with the key stream from block 1 on.
--
-- Throws 'Sealane.Error.SealaneError' if the key stream, which has 256 GiB, ends before the piece.
transform :: ByteArray ba => ba -> State -> ba
transform !piece !state = pureCall . ByteArray.alloc len $ \to -> withByteArray piece $ \from -> do
    when (first > 0) . withScratch 64 $ \scratch -> do
        copyBytes (scratch `plusPtr` used) from first
        xor (cipher state) block scratch 64 scratch
        copyBytes to (scratch `plusPtr` used) first
    when (len > first) $
        xor (cipher state) next (from `plusPtr` first) (len - first) (to `plusPtr` first)
  where
    len = ByteArray.length piece
    used = fromIntegral (textBytes state `mod` 64)
    block = 1 + textBytes state `div` 64
    -- The number of bytes to take from a block that has been partly used.
    first = if used == 0 then 0 else min (64 - used) len
    next = if used == 0 then block else block + 1

-- | Combines bytes with the key stream from a block on.
xor :: Cipher -> Word64 -> Ptr Word8 -> Int -> Ptr Word8 -> IO ()
xor (Cipher number key nonce) block from len to =
    withKey key $ \keyPtr -> withBytes nonce $ \noncePtr nonceLen ->
        call number keyPtr noncePtr nonceLen block from (fromIntegral len) to >>= check
  where
    call = if isShort len then chacha20XorUnsafe else chacha20XorSafe

-- | Passes memory filled with zeros to a function, and wipes it afterwards.
withScratch :: Int -> (Ptr Word8 -> IO a) -> IO a
withScratch len body = allocaBytes len $ \memory -> do
    fillBytes memory 0 len
    body memory `finally` fillBytes memory 0 len

-- | Returns the state after a piece of the ciphertext has been added.
added :: ByteArrayAccess ba => ba -> State -> State
added ciphertext state =
    state
        { authenticator = add ciphertext (authenticator state)
        , textBytes = textBytes state + fromIntegral (ByteArray.length ciphertext)
        }

-- | @sealane_poly1305@
data Poly1305Context

-- | Returns a context that has authenticated more bytes.
add :: ByteArrayAccess ba => ba -> ForeignPtr Poly1305Context -> ForeignPtr Poly1305Context
add bytes !context
    | ByteArray.length bytes == 0 = context
    | otherwise = pureCall (copyWith bytes context)

-- | Returns a copy of a context that has authenticated more bytes.
copyWith :: ByteArrayAccess ba => ba -> ForeignPtr Poly1305Context -> IO (ForeignPtr Poly1305Context)
copyWith bytes context = do
    copy <- withForeignPtr context poly1305Dup >>= owned
    withForeignPtr copy (\pointer -> withByteArray bytes $ \from -> update pointer from (fromIntegral len)) >>= check
    pure copy
  where
    len = ByteArray.length bytes
    update = if isShort len then poly1305UpdateUnsafe else poly1305UpdateSafe

-- | Takes ownership of a context. Its finalizer wipes the memory.
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
