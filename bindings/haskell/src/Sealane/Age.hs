-- |
-- Description: age files
--
-- Files in the [age format](https://age-encryption.org/v1), which the commands @age@, @rage@ and
-- @sealane@ read and write.
--
-- >>> identity <- generateIdentity X25519
-- >>> let Right recipients = identityRecipient identity >>= recipientsFromText
-- >>> let Right identities = identitiesFromText identity
-- >>> file <- encrypt recipients Armor "attack at dawn"
-- >>> decrypt identities file
-- Right "attack at dawn"
module Sealane.Age
    ( -- * Keys
      Kind (..)
    , generateIdentity
    , identityRecipient
    , Recipients
    , recipientsFromText
    , recipientsFromPassphrase
    , Identities
    , identitiesFromText
    , identitiesFromPassphrase

      -- * In memory
    , Format (..)
    , encrypt
    , decrypt

      -- * Files
    , encryptFile
    , decryptFile
    ) where

import Control.Exception (bracket, mask_, onException, try)
import Control.Monad (void, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Word (Word32, Word8)
import Foreign.C.Error (throwErrnoPathIfMinus1)
import Foreign.C.String (CString)
import Foreign.C.Types (CInt (..), CSize (..), CUInt (..))
import Foreign.ForeignPtr (ForeignPtr, newForeignPtr, withForeignPtr)
import Foreign.Marshal.Alloc (alloca, allocaBytes)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.Ptr (FunPtr, Ptr, castPtr, nullPtr)
import Foreign.Storable (peek, poke)
import Sealane.Error (SealaneError)
import Sealane.Foreign (AgeError, Status, check, checkAge, withBytes)
import System.IO.Unsafe (unsafePerformIO)
import System.Posix.Internals (withFilePath)

-- | The kind of a pair of keys.
data Kind
    = -- | @age1…@, which every program for age files knows.
      X25519
    | -- | ML-KEM-768 with X25519: @age1pq1…@, which is post-quantum. age knows it from 1.3 on.
      MlKem768X25519
    deriving (Eq, Show)

-- | The form of a file. Decryption recognises it.
data Format
    = -- | The binary form.
      Binary
    | -- | The text form.
      Armor
    deriving (Eq, Show)

-- | The keys that a file is encrypted for.
newtype Recipients = Recipients (ForeignPtr RecipientList)

-- | The secret keys that open files. Their memory is wiped.
newtype Identities = Identities (ForeignPtr IdentityList)

-- | Returns the text of a new identity: a secret key, @AGE-SECRET-KEY-…@.
--
-- Throws 'SealaneError' if the operating system's generator fails.
generateIdentity :: Kind -> IO ByteString
generateIdentity kind = keyText $ \text size -> checkAge (ageKeygen number text size)
  where
    number = case kind of
        X25519 -> 1
        MlKem768X25519 -> 2

-- | Returns the text of an identity's recipient: its public key, @age1…@. Fails if the argument
-- is not exactly one identity.
identityRecipient :: ByteString -> Either SealaneError ByteString
identityRecipient identity = attempt . withBytes identity $ \start len ->
    keyText $ \text size -> checkAge (ageRecipient (castPtr start) len text size)

-- | Returns the recipients of a text with one on each line. Fails if a line is not a recipient, or
-- there is none.
--
-- Empty lines and lines that begin with @#@ are skipped. Recipients for ssh and for plugins are
-- refused.
recipientsFromText :: ByteString -> Either SealaneError Recipients
recipientsFromText text = attempt . fmap Recipients . newList recipientsNew recipientsFree $ \list ->
    withBytes text $ \start len -> checkAge (recipientsAdd list (castPtr start) len)

-- | Returns a passphrase as the only recipient. Fails if it is not UTF-8.
--
-- Encryption and decryption take a second and 256 MiB of memory.
recipientsFromPassphrase :: ByteString -> Either SealaneError Recipients
recipientsFromPassphrase passphrase = attempt . fmap Recipients . newList recipientsNew recipientsFree $ \list ->
    withBytes passphrase $ \start len -> checkAge (recipientsAddPassphrase list (castPtr start) len 0)

-- | Returns the identities of a text with one on each line. Fails if a line is not an identity, or
-- there is none.
--
-- Empty lines and lines that begin with @#@ are skipped. Identities of plugins are refused.
identitiesFromText :: ByteString -> Either SealaneError Identities
identitiesFromText text = attempt . fmap Identities . newList identitiesNew identitiesFree $ \list ->
    withBytes text $ \start len -> checkAge (identitiesAdd list (castPtr start) len)

-- | Returns a passphrase that opens files. Fails if it is not UTF-8.
--
-- Files that ask for more scrypt work than 2^22 are refused: 4 GiB of memory and half a minute.
identitiesFromPassphrase :: ByteString -> Either SealaneError Identities
identitiesFromPassphrase passphrase = attempt . fmap Identities . newList identitiesNew identitiesFree $ \list ->
    withBytes passphrase $ \start len -> checkAge (identitiesAddPassphrase list (castPtr start) len 0)

-- | Returns a file with this content.
--
-- Throws 'SealaneError' if the operating system's generator fails, or there is not enough memory.
encrypt :: Recipients -> Format -> ByteString -> IO ByteString
encrypt (Recipients list) format content =
    withForeignPtr list $ \recipients -> withBytes content $ \start len ->
        result $ ageEncrypt recipients (formatNumber format) start len

-- | Returns the content of a file. Fails if no identity opens it, or it is damaged.
decrypt :: Identities -> ByteString -> Either SealaneError ByteString
decrypt (Identities list) file = attempt . withForeignPtr list $ \identities ->
    withBytes file $ \start len -> result $ ageDecrypt identities start len

-- | Encrypts a file to a new one, on all cores. Memory does not grow with the file.
--
-- Throws an 'IOError' if the first file cannot be opened, or the second one is there already, and
-- 'SealaneError' for other errors, after which there is no second file.
encryptFile
    :: Recipients
    -> Format
    -> FilePath
    -- ^ The file to read.
    -> FilePath
    -- ^ The file to make.
    -> IO ()
encryptFile (Recipients list) format from to =
    withForeignPtr list $ \recipients -> withFiles from to 0o666 $ \input output ->
        checkAge $ ageEncryptFd recipients (formatNumber format) 0 input output

-- | Decrypts a file to a new one, which only its owner may read, on all cores. Memory does not grow
-- with the file.
--
-- Throws the errors of 'encryptFile'.
decryptFile
    :: Identities
    -> FilePath
    -- ^ The file to read.
    -> FilePath
    -- ^ The file to make.
    -> IO ()
decryptFile (Identities list) from to =
    withForeignPtr list $ \identities -> withFiles from to 0o600 $ \input output ->
        checkAge $ ageDecryptFd identities 0 input output

attempt :: IO a -> Either SealaneError a
attempt = unsafePerformIO . try

formatNumber :: Format -> Word32
formatNumber Binary = 0
formatNumber Armor = 1

-- | Returns a text of the library, and wipes its buffer.
keyText :: (CString -> CSize -> IO ()) -> IO ByteString
keyText body = allocaBytes size $ \text -> do
    body text (fromIntegral size)
    copy <- B.packCString text
    copy <$ fillBytes text 0 size
  where
    -- SEALANE_AGE_KEY_TEXT_BYTES
    size = 2048

-- | Returns a list of keys after keys were added to it.
newList :: IO (Ptr a) -> FunPtr (Ptr a -> IO ()) -> (Ptr a -> IO ()) -> IO (ForeignPtr a)
newList new free add = do
    list <- mask_ $ do
        pointer <- new
        when (pointer == nullPtr) (check 255)
        newForeignPtr free pointer
    list <$ withForeignPtr list add

-- | Returns bytes that the library has allocated.
result :: (Ptr (Ptr Bytes) -> Ptr AgeError -> IO Status) -> IO ByteString
result body = alloca $ \bytes -> do
    poke bytes nullPtr
    bracket (checkAge (body bytes) >> peek bytes) bytesFree $ \pointer -> do
        start <- bytesData pointer
        len <- bytesLen pointer
        B.packCStringLen (castPtr start, fromIntegral len)

-- | Passes two open files to a function. The second one is new, with these
-- permissions, and is removed after an exception.
withFiles :: FilePath -> FilePath -> CUInt -> (CInt -> CInt -> IO ()) -> IO ()
withFiles from to mode body =
    withFilePath from $ \fromPath -> withFilePath to $ \toPath ->
        bracket (throwErrnoPathIfMinus1 "open" from (openInput fromPath)) close $ \input -> mask_ $ do
            output <- throwErrnoPathIfMinus1 "open" to (openOutput toPath mode)
            body input output `onException` (close output >> unlink toPath)
            void (throwErrnoPathIfMinus1 "close" to (close output)) `onException` unlink toPath

-- | @sealane_age_recipients@
data RecipientList

-- | @sealane_age_identities@
data IdentityList

-- | @sealane_bytes@
data Bytes

foreign import ccall unsafe "sealane.h sealane_age_recipients_new"
    recipientsNew :: IO (Ptr RecipientList)

foreign import ccall unsafe "sealane.h sealane_age_recipients_add"
    recipientsAdd :: Ptr RecipientList -> CString -> CSize -> Ptr AgeError -> IO Status

foreign import ccall unsafe "sealane.h sealane_age_recipients_add_passphrase"
    recipientsAddPassphrase :: Ptr RecipientList -> CString -> CSize -> Word32 -> Ptr AgeError -> IO Status

foreign import ccall "&sealane_age_recipients_free"
    recipientsFree :: FunPtr (Ptr RecipientList -> IO ())

foreign import ccall unsafe "sealane.h sealane_age_identities_new"
    identitiesNew :: IO (Ptr IdentityList)

foreign import ccall unsafe "sealane.h sealane_age_identities_add"
    identitiesAdd :: Ptr IdentityList -> CString -> CSize -> Ptr AgeError -> IO Status

foreign import ccall unsafe "sealane.h sealane_age_identities_add_passphrase"
    identitiesAddPassphrase :: Ptr IdentityList -> CString -> CSize -> Word32 -> Ptr AgeError -> IO Status

foreign import ccall "&sealane_age_identities_free"
    identitiesFree :: FunPtr (Ptr IdentityList -> IO ())

foreign import ccall safe "sealane.h sealane_age_keygen"
    ageKeygen :: Word32 -> CString -> CSize -> Ptr AgeError -> IO Status

foreign import ccall safe "sealane.h sealane_age_recipient"
    ageRecipient :: CString -> CSize -> CString -> CSize -> Ptr AgeError -> IO Status

foreign import ccall safe "sealane.h sealane_age_encrypt"
    ageEncrypt :: Ptr RecipientList -> Word32 -> Ptr Word8 -> CSize -> Ptr (Ptr Bytes) -> Ptr AgeError -> IO Status

foreign import ccall safe "sealane.h sealane_age_decrypt"
    ageDecrypt :: Ptr IdentityList -> Ptr Word8 -> CSize -> Ptr (Ptr Bytes) -> Ptr AgeError -> IO Status

foreign import ccall safe "sealane.h sealane_age_encrypt_fd"
    ageEncryptFd :: Ptr RecipientList -> Word32 -> CSize -> CInt -> CInt -> Ptr AgeError -> IO Status

foreign import ccall safe "sealane.h sealane_age_decrypt_fd"
    ageDecryptFd :: Ptr IdentityList -> CSize -> CInt -> CInt -> Ptr AgeError -> IO Status

foreign import ccall unsafe "sealane.h sealane_bytes_data"
    bytesData :: Ptr Bytes -> IO (Ptr Word8)

foreign import ccall unsafe "sealane.h sealane_bytes_len"
    bytesLen :: Ptr Bytes -> IO CSize

foreign import ccall unsafe "sealane.h sealane_bytes_free"
    bytesFree :: Ptr Bytes -> IO ()

foreign import ccall safe "sealane_hs_open_input"
    openInput :: CString -> IO CInt

foreign import ccall safe "sealane_hs_open_output"
    openOutput :: CString -> CUInt -> IO CInt

foreign import ccall safe "close"
    close :: CInt -> IO CInt

foreign import ccall safe "unlink"
    unlink :: CString -> IO CInt
