{-# LANGUAGE BangPatterns #-}

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
--
-- "Sealane.Age.Lazy" has files as lazy byte strings, "Sealane.Age.Ranges" reads a part of a file,
-- and "Sealane.Age.Threshold" encrypts for several people who open a file together.
--
-- End the threads that use these modules before @main@ returns: "Sealane.Key" tells why.
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

import Control.Exception (bracket)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Word (Word32, Word8)
import Foreign.C.Types (CInt (..), CSize (..), CUInt (..))
import Foreign.Marshal.Alloc (alloca)
import Foreign.Ptr (Ptr, castPtr, nullPtr)
import Foreign.Storable (peek, poke)
import Sealane.Age.Files (withInput, withOutput)
import Sealane.Age.Keys
import Sealane.Error (SealaneError)
import Sealane.Foreign (AgeError, Status, checkAge, withBytes, withShared)

-- | Returns a file with this content.
--
-- Throws 'SealaneError' if the recipients cannot be combined, the operating system's generator
-- fails, or there is not enough memory.
encrypt :: Recipients -> Format -> ByteString -> IO ByteString
encrypt (Recipients !keys) !format !content =
    withShared keys $ \recipients -> withBytes content $ \start len ->
        result $ ageEncrypt recipients (formatNumber format) start len

-- | Returns the content of a file. Fails if no identity opens it, or it is damaged.
--
-- Throws 'SealaneError' if there is not enough memory for a passphrase.
decrypt :: Identities -> ByteString -> Either SealaneError ByteString
decrypt (Identities !keys) !file = attempt . withShared keys $ \identities ->
    withBytes file $ \start len -> result $ ageDecrypt identities start len

-- | Encrypts a file to a new one, on all cores. The memory needed does not grow with the file.
--
-- The new file gets its name when it is complete and on the disk. Until then, its name begins with
-- @.sealane-@ and ends in @.tmp@, and a process that is killed leaves it so. It is locked with
-- @flock@, so the command @sealane@ does not remove it. Exceptions from other threads, such as the
-- one for Ctrl-C, wait until the file is complete.
--
-- Throws an 'IOError' if the first file cannot be opened, or the second one cannot be created, for
-- example because a file with its name exists, or cannot be synced. Throws 'SealaneError' for other
-- errors. After any of these errors there is no new file, unless the location of the 'IOError' is
-- @fsync of folder@: then the new file is complete, but a crash may still remove its name.
encryptFile
    :: Recipients
    -> Format
    -> FilePath
    -- ^ The file to read.
    -> FilePath
    -- ^ The file to make.
    -> IO ()
encryptFile (Recipients !keys) !format from to =
    withShared keys $ \recipients -> withFiles from to 0o666 $ \input output ->
        checkAge $ ageEncryptFd recipients (formatNumber format) 0 input output

-- | Decrypts a file to a new one, which only its owner may read, on all cores. The memory needed
-- does not grow with the file.
--
-- Throws the same errors as 'encryptFile'.
decryptFile
    :: Identities
    -> FilePath
    -- ^ The file to read.
    -> FilePath
    -- ^ The file to make.
    -> IO ()
decryptFile (Identities !keys) from to =
    withShared keys $ \identities -> withFiles from to 0o600 $ \input output ->
        checkAge $ ageDecryptFd identities 0 input output

-- | Copies and frees bytes that the library has allocated.
result :: (Ptr (Ptr Bytes) -> Ptr AgeError -> IO Status) -> IO ByteString
result body = alloca $ \bytes -> do
    poke bytes nullPtr
    bracket (checkAge (body bytes) >> peek bytes) bytesFree $ \pointer -> do
        start <- bytesData pointer
        len <- bytesLen pointer
        B.packCStringLen (castPtr start, fromIntegral len)

-- | Passes two open files to a function. The second one is new, with these permissions, and gets
-- its name after the function. It is removed after an exception.
withFiles :: FilePath -> FilePath -> CUInt -> (CInt -> CInt -> IO ()) -> IO ()
withFiles from to mode body = withInput from $ \input -> withOutput to mode (body input)

-- | @sealane_bytes@
data Bytes

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

-- Wipes the bytes, which may be many.
foreign import ccall safe "sealane.h sealane_bytes_free"
    bytesFree :: Ptr Bytes -> IO ()
