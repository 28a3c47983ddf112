{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE ForeignFunctionInterface #-}

-- | The functions of the C interface, and how Haskell calls them.
module Sealane.Foreign
    ( -- * Calls
      Status
    , masked
    , pureCall
    , check
    , checkAuthentic
    , AgeError
    , checkAge
    , tryAge
    , isShort
    , withBytes
    , sameBytes
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

      -- * Objects of the library
    , Shared
    , newShared
    , withShared

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
    , openerNew
    , openerInit
    , openerAuthenticateUnsafe
    , openerAuthenticateSafe
    , openerDecryptUnsafe
    , openerDecryptSafe
    , openerVerify
    ) where

import Control.Concurrent.MVar (MVar, newMVar, withMVar)
import Control.Exception (bracket_, mask_, throwIO)
import Control.Monad (when)
import Control.Monad.ST (ST)
import Control.Monad.ST.Unsafe (unsafeIOToST)
import Data.Bits (xor, (.|.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Internal as B (create, createUptoN')
import qualified Data.ByteString.Unsafe as B (unsafeUseAsCStringLen)
import Data.Foldable (traverse_)
import Data.Int (Int32, Int64)
import qualified Data.List as List (foldl')
import Data.Word (Word32, Word64, Word8)
import Foreign.C.String (CString, peekCString)
import Foreign.C.Types (CSize (..))
import Foreign.ForeignPtr (ForeignPtr, newForeignPtr, withForeignPtr)
import Foreign.Marshal.Alloc (allocaBytesAligned)
import Foreign.Ptr (FunPtr, Ptr, castPtr, nullPtr)
import Foreign.Storable (peekByteOff, pokeByteOff)
import GHC.Exts (lazy)
import qualified GHC.Foreign as UTF8 (peekCString)
import GHC.IO (noDuplicate)
import Sealane.Error (SealaneError (..))
import System.IO (utf8)
import System.IO.Unsafe (unsafePerformIO)

-- | The result of a function: 0 is success.
type Status = Int32

-- | Makes calls of C functions, for which exceptions from other threads wait.
--
-- The calls must not evaluate arguments of users: these may take long, or throw. So functions
-- evaluate their arguments first, by bang patterns. Without 'lazy', GHC could move the evaluation
-- into the calls.
masked :: IO a -> IO a
masked calls = mask_ (lazy calls)

-- | Returns the result of deterministic calls of C functions.
--
-- Exceptions from other threads wait until the calls have returned. Otherwise, such an exception
-- would suspend the evaluation of a value, and the next thread that needs the value would resume
-- it. The result of a safe call that has returned meanwhile would be lost, and replaced by another
-- number.
pureCall :: IO a -> a
pureCall = unsafePerformIO . masked

-- | Throws for each status except 0.
check :: Status -> IO ()
check 0 = pure ()
check status = statusError status >>= throwIO

statusError :: Status -> IO SealaneError
statusError status = do
    text <- statusMessage status >>= peekCString
    pure SealaneError{errorStatus = fromIntegral status, errorText = text, errorChunk = Nothing}

-- | Returns whether a message is authentic. Throws for other errors.
checkAuthentic :: Status -> IO Bool
checkAuthentic 1 = pure False
checkAuthentic status = True <$ check status

-- | @sealane_age_error@
data AgeError

-- | Throws for each status except 0, with the description that the function wrote.
checkAge :: (Ptr AgeError -> IO Status) -> IO ()
checkAge body = tryAge body >>= traverse_ (throwIO . fst)

-- | Returns the error that the function described, if it failed, and the result of the callback
-- that failed, or 0. Exceptions from other threads wait, as in 'pureCall'.
tryAge :: (Ptr AgeError -> IO Status) -> IO (Maybe (SealaneError, Int64))
tryAge body = masked . allocaBytesAligned 272 8 $ \details -> do
    -- Some errors, such as a null pointer, have no description, so the text of the status is used.
    pokeByteOff details 0 (0 :: Word8)
    status <- body details
    text <- if status == 0 then pure "" else UTF8.peekCString utf8 (castPtr details)
    case (status, text) of
        (0, _) -> pure Nothing
        (_, "") -> Just . flip (,) 0 <$> statusError status
        _ -> do
            chunk <- peekByteOff details 256
            io <- peekByteOff details 264
            -- SEALANE_AGE_NO_CHUNK
            let damaged = if chunk == maxBound then Nothing else Just chunk
            pure (Just (SealaneError{errorStatus = fromIntegral status, errorText = text, errorChunk = damaged}, io))

-- | Returns whether a call with this number of bytes is short. A short unsafe call takes a few
-- microseconds, during which the garbage collector waits. A safe call costs 100 nanoseconds more.
isShort :: Int -> Bool
isShort bytes = bytes <= 16384

-- | Passes bytes to a C function.
withBytes :: ByteString -> (Ptr Word8 -> CSize -> IO a) -> IO a
withBytes bytes body =
    B.unsafeUseAsCStringLen bytes $ \(start, len) -> body (castPtr start) (fromIntegral len)

-- | Returns whether secrets are equal, without stopping at the first difference. Their lengths are
-- no secrets.
sameBytes :: ByteString -> ByteString -> Bool
sameBytes a b = B.length a == B.length b && List.foldl' (.|.) 0 (B.zipWith xor a b) == 0

-- | Returns bytes of the given length, which a C function computes from the input.
transform :: ByteString -> Int -> (Ptr Word8 -> CSize -> Ptr Word8 -> IO ()) -> IO ByteString
transform input len body = withBytes input $ \from size -> B.create len (body from size)

-- | Returns as many bytes as the input has, and the status of the C function that wrote them.
tryTransform :: ByteString -> (Ptr Word8 -> CSize -> Ptr Word8 -> IO Status) -> IO (ByteString, Status)
tryTransform input body = withBytes input $ \from size ->
    let len = fromIntegral size in B.createUptoN' len $ \to -> (,) len <$> body from size to

-- | An object of the library with several owners: @sealane_hs_shared@.
data Shared c

-- | Creates an object. Its finalizer wipes it.
newShared :: IO (Ptr (Shared c)) -> IO (ForeignPtr (Shared c))
newShared new = mask_ $ do
    -- Masked, because an exception between these lines would leak the memory.
    pointer <- new
    when (pointer == nullPtr) (check 19)
    newForeignPtr sharedRelease pointer

-- | Passes an object to a function, which becomes an owner. At the end of the program, finalizers
-- run while other threads may still be in calls with the object.
withShared :: ForeignPtr (Shared c) -> (Ptr c -> IO a) -> IO a
withShared shared body = withForeignPtr shared $ \pointer ->
    bracket_ (sharedShare pointer) (sharedUnshare pointer) (sharedObject pointer >>= body)

-- | A C context, which only one thread uses at a time.
newtype Context c = Context (MVar (ForeignPtr (Shared c)))

-- | Creates and initializes a context.
newContext :: IO (Ptr (Shared c)) -> (Ptr c -> IO Status) -> ST s (Context c)
newContext new initialize = callInST $ do
    context <- newShared new
    withShared context initialize >>= check
    Context <$> newMVar context

-- | Calls functions with a context.
inContext :: Context c -> (Ptr c -> IO a) -> ST s a
inContext (Context !lock) body = callInST . withMVar lock $ \context -> withShared context body

-- | Calls C functions as a part of a computation. Exceptions from other threads wait, as in
-- 'pureCall', and so does a second thread that evaluates the same value: GHC would suspend one of
-- both in the middle of a safe call.
callInST :: IO a -> ST s a
callInST calls = unsafeIOToST (noDuplicate >> masked calls)

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

foreign import ccall unsafe "sealane_hs.h sealane_hs_share"
    sharedShare :: Ptr (Shared c) -> IO (Ptr (Shared c))

-- The finalizer has not run, or the program has ended, so this call does not free the object.
foreign import ccall unsafe "sealane_hs.h sealane_hs_release"
    sharedUnshare :: Ptr (Shared c) -> IO ()

foreign import ccall unsafe "sealane_hs.h sealane_hs_object"
    sharedObject :: Ptr (Shared c) -> IO (Ptr c)

foreign import ccall "sealane_hs.h &sealane_hs_release"
    sharedRelease :: FunPtr (Ptr (Shared c) -> IO ())

-- | @sealane_sealer@
data SealerContext

-- | @sealane_opener@
data OpenerContext

foreign import ccall unsafe "sealane_hs.h sealane_hs_sealer_new"
    sealerNew :: IO (Ptr (Shared SealerContext))

-- Associated data may be long.
foreign import ccall safe "sealane.h sealane_sealer_init"
    sealerInit :: Ptr SealerContext -> Word32 -> Ptr Word8 -> Ptr Word8 -> CSize -> Ptr Word8 -> CSize -> IO Status

foreign import ccall unsafe "sealane.h sealane_sealer_update"
    sealerUpdateUnsafe :: Ptr SealerContext -> Ptr Word8 -> CSize -> Ptr Word8 -> IO Status

foreign import ccall safe "sealane.h sealane_sealer_update"
    sealerUpdateSafe :: Ptr SealerContext -> Ptr Word8 -> CSize -> Ptr Word8 -> IO Status

foreign import ccall unsafe "sealane.h sealane_sealer_final"
    sealerFinal :: Ptr SealerContext -> Ptr Word8 -> IO Status

foreign import ccall unsafe "sealane_hs.h sealane_hs_opener_new"
    openerNew :: IO (Ptr (Shared OpenerContext))

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
