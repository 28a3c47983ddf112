{-# LANGUAGE ForeignFunctionInterface #-}

-- | The functions of the C interface, and how Haskell calls them.
module Sealane.Foreign
    ( -- * Calls
      Status
    , check
    , checkAuthentic
    , AgeError
    , checkAge
    , isShort
    , withBytes
    , transform
    , tryTransform

      -- * Functions
    , AeadSeal
    , AeadOpen
    , ChaCha20Xor
    , aeadSealUnsafe
    , aeadSealSafe
    , aeadOpenUnsafe
    , aeadOpenSafe
    , chacha20XorUnsafe
    , chacha20XorSafe
    , poly1305MacUnsafe
    , poly1305MacSafe
    , poly1305VerifyUnsafe
    , poly1305VerifySafe
    , randomBytes
    , freeKey
    , shamirSplit
    , shamirCombine

      -- * Messages in pieces
    , Context
    , newContext
    , inContext
    , SealerContext
    , OpenerContext
    , sealerNew
    , sealerInit
    , sealerUpdateUnsafe
    , sealerUpdateSafe
    , sealerFinal
    , sealerFree
    , openerNew
    , openerInit
    , openerAuthenticateUnsafe
    , openerAuthenticateSafe
    , openerDecryptUnsafe
    , openerDecryptSafe
    , openerVerify
    , openerFree
    ) where

import Control.Concurrent.MVar (MVar, newMVar, putMVar, takeMVar)
import Control.Exception (mask_, throwIO)
import Control.Monad (unless, when)
import Control.Monad.ST (ST)
import Control.Monad.ST.Unsafe (unsafeIOToST)
import Data.ByteString (ByteString)
import qualified Data.ByteString.Internal as B (create, createUptoN')
import qualified Data.ByteString.Unsafe as B (unsafeUseAsCStringLen)
import Data.Int (Int32)
import Data.Word (Word32, Word64, Word8)
import Foreign.C.String (CString, peekCString)
import Foreign.C.Types (CSize (..))
import Foreign.ForeignPtr (ForeignPtr, newForeignPtr, withForeignPtr)
import Foreign.Marshal.Alloc (allocaBytesAligned)
import Foreign.Ptr (FunPtr, Ptr, castPtr, nullPtr)
import Foreign.Storable (pokeByteOff)
import qualified GHC.Foreign as UTF8 (peekCString)
import Sealane.Error (SealaneError (..))
import System.IO (utf8)

-- | The result of a function: 0 is success.
type Status = Int32

-- | Throws for each status except 0.
check :: Status -> IO ()
check 0 = pure ()
check status = do
    text <- statusMessage status >>= peekCString
    throwIO SealaneError{errorStatus = fromIntegral status, errorText = text}

-- | Returns whether a message is authentic. Throws for other errors.
checkAuthentic :: Status -> IO Bool
checkAuthentic 1 = pure False
checkAuthentic status = True <$ check status

-- | @sealane_age_error@
data AgeError

-- | Throws for each status except 0, with the description that the function wrote.
checkAge :: (Ptr AgeError -> IO Status) -> IO ()
checkAge body = allocaBytesAligned 272 8 $ \details -> do
    -- Without a description, such as for a null pointer, there is that of the status.
    pokeByteOff details 0 (0 :: Word8)
    status <- body details
    unless (status == 0) $ do
        text <- UTF8.peekCString utf8 (castPtr details)
        when (null text) (check status)
        throwIO SealaneError{errorStatus = fromIntegral status, errorText = text}

-- | Returns whether a call with so many bytes is short. An unsafe call of this length is a few
-- microseconds, in which the collector waits. A safe call costs 100 nanoseconds more.
isShort :: Int -> Bool
isShort bytes = bytes <= 16384

-- | Passes bytes to a function in C.
withBytes :: ByteString -> (Ptr Word8 -> CSize -> IO a) -> IO a
withBytes bytes body =
    B.unsafeUseAsCStringLen bytes $ \(start, len) -> body (castPtr start) (fromIntegral len)

-- | Returns as many bytes as the input has, written by a function in C.
transform :: ByteString -> Int -> (Ptr Word8 -> CSize -> Ptr Word8 -> IO ()) -> IO ByteString
transform input len body = withBytes input $ \from size -> B.create len (body from size)

-- | Returns as many bytes as the input has, and the status of the function in C that wrote them.
tryTransform :: ByteString -> (Ptr Word8 -> CSize -> Ptr Word8 -> IO Status) -> IO (ByteString, Status)
tryTransform input body = withBytes input $ \from size ->
    let len = fromIntegral size in B.createUptoN' len $ \to -> (,) len <$> body from size to

-- | A context in C, which one thread uses at a time.
newtype Context c = Context (MVar (ForeignPtr c))

-- | Returns a context after its first call. Its finalizer wipes it.
newContext :: IO (Ptr c) -> FunPtr (Ptr c -> IO ()) -> (Ptr c -> IO Status) -> ST s (Context c)
newContext new free initialize = unsafeIOToST $ do
    -- Without an exception in between, which would lose the memory.
    context <- mask_ $ do
        pointer <- new
        when (pointer == nullPtr) (check 255)
        newForeignPtr free pointer
    withForeignPtr context initialize >>= check
    Context <$> newMVar context

-- | Calls functions with a context. They must not throw.
inContext :: Context c -> (Ptr c -> IO a) -> ST s a
inContext (Context lock) body = unsafeIOToST . mask_ $ do
    context <- takeMVar lock
    result <- withForeignPtr context body
    putMVar lock context
    pure result

-- | @sealane_aead_seal@
type AeadSeal =
    Word32
    -> Ptr Word8
    -> Ptr Word8
    -> CSize
    -> Ptr Word8
    -> CSize
    -> Ptr Word8
    -> CSize
    -> Ptr Word8
    -> Ptr Word8
    -> IO Status

-- | @sealane_aead_open@
type AeadOpen = AeadSeal

-- | @sealane_chacha20_xor@
type ChaCha20Xor = Word32 -> Ptr Word8 -> Ptr Word8 -> CSize -> Word64 -> Ptr Word8 -> CSize -> Ptr Word8 -> IO Status

foreign import ccall unsafe "sealane.h sealane_status_message"
    statusMessage :: Int32 -> IO CString

foreign import ccall unsafe "sealane.h sealane_aead_seal"
    aeadSealUnsafe :: AeadSeal

foreign import ccall safe "sealane.h sealane_aead_seal"
    aeadSealSafe :: AeadSeal

foreign import ccall unsafe "sealane.h sealane_aead_open"
    aeadOpenUnsafe :: AeadOpen

foreign import ccall safe "sealane.h sealane_aead_open"
    aeadOpenSafe :: AeadOpen

foreign import ccall unsafe "sealane.h sealane_chacha20_xor"
    chacha20XorUnsafe :: ChaCha20Xor

foreign import ccall safe "sealane.h sealane_chacha20_xor"
    chacha20XorSafe :: ChaCha20Xor

foreign import ccall unsafe "sealane.h sealane_poly1305_mac"
    poly1305MacUnsafe :: Ptr Word8 -> Ptr Word8 -> CSize -> Ptr Word8 -> IO Status

foreign import ccall safe "sealane.h sealane_poly1305_mac"
    poly1305MacSafe :: Ptr Word8 -> Ptr Word8 -> CSize -> Ptr Word8 -> IO Status

foreign import ccall unsafe "sealane.h sealane_poly1305_verify"
    poly1305VerifyUnsafe :: Ptr Word8 -> Ptr Word8 -> CSize -> Ptr Word8 -> IO Status

foreign import ccall safe "sealane.h sealane_poly1305_verify"
    poly1305VerifySafe :: Ptr Word8 -> Ptr Word8 -> CSize -> Ptr Word8 -> IO Status

foreign import ccall safe "sealane.h sealane_random"
    randomBytes :: Ptr Word8 -> CSize -> IO Status

foreign import ccall "&sealane_hs_free_key"
    freeKey :: FunPtr (Ptr Word8 -> IO ())

foreign import ccall safe "sealane.h sealane_shamir_split"
    shamirSplit :: CSize -> Ptr Word8 -> CSize -> Ptr Word8 -> CSize -> Ptr (Ptr Word8) -> IO Status

foreign import ccall safe "sealane.h sealane_shamir_combine"
    shamirCombine :: Ptr Word8 -> CSize -> Word8 -> Ptr (Ptr Word8) -> CSize -> Ptr Word8 -> IO Status

-- | @sealane_sealer@
data SealerContext

-- | @sealane_opener@
data OpenerContext

foreign import ccall unsafe "sealane.h sealane_sealer_new"
    sealerNew :: IO (Ptr SealerContext)

-- Associated data may be long.
foreign import ccall safe "sealane.h sealane_sealer_init"
    sealerInit :: Ptr SealerContext -> Word32 -> Ptr Word8 -> Ptr Word8 -> CSize -> Ptr Word8 -> CSize -> IO Status

foreign import ccall unsafe "sealane.h sealane_sealer_update"
    sealerUpdateUnsafe :: Ptr SealerContext -> Ptr Word8 -> CSize -> Ptr Word8 -> IO Status

foreign import ccall safe "sealane.h sealane_sealer_update"
    sealerUpdateSafe :: Ptr SealerContext -> Ptr Word8 -> CSize -> Ptr Word8 -> IO Status

foreign import ccall unsafe "sealane.h sealane_sealer_final"
    sealerFinal :: Ptr SealerContext -> Ptr Word8 -> IO Status

foreign import ccall "&sealane_sealer_free"
    sealerFree :: FunPtr (Ptr SealerContext -> IO ())

foreign import ccall unsafe "sealane.h sealane_opener_new"
    openerNew :: IO (Ptr OpenerContext)

foreign import ccall safe "sealane.h sealane_opener_init"
    openerInit :: Ptr OpenerContext -> Word32 -> Ptr Word8 -> Ptr Word8 -> CSize -> Ptr Word8 -> CSize -> IO Status

foreign import ccall unsafe "sealane.h sealane_opener_authenticate"
    openerAuthenticateUnsafe :: Ptr OpenerContext -> Ptr Word8 -> CSize -> IO Status

foreign import ccall safe "sealane.h sealane_opener_authenticate"
    openerAuthenticateSafe :: Ptr OpenerContext -> Ptr Word8 -> CSize -> IO Status

foreign import ccall unsafe "sealane.h sealane_opener_decrypt"
    openerDecryptUnsafe :: Ptr OpenerContext -> Ptr Word8 -> CSize -> Ptr Word8 -> IO Status

foreign import ccall safe "sealane.h sealane_opener_decrypt"
    openerDecryptSafe :: Ptr OpenerContext -> Ptr Word8 -> CSize -> Ptr Word8 -> IO Status

foreign import ccall unsafe "sealane.h sealane_opener_verify"
    openerVerify :: Ptr OpenerContext -> Ptr Word8 -> IO Status

foreign import ccall "&sealane_opener_free"
    openerFree :: FunPtr (Ptr OpenerContext -> IO ())
