{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE ForeignFunctionInterface #-}

-- | The keys of age files, and what the modules for age files share.
module Sealane.Age.Keys
    ( -- * Keys
      Kind (..)
    , generateIdentity
    , identityRecipient
    , Recipients (..)
    , recipientsFromText
    , recipientsFromPassphrase
    , recipientsThat
    , Identities (..)
    , identitiesFromText
    , identitiesFromPassphrase
    , identitiesThat

      -- * Calls
    , RecipientList
    , IdentityList
    , attempt
    , Format (..)
    , formatNumber

      -- * Functions
    , AddText
    , recipientsAdd
    , identitiesAdd
    ) where

import Control.Exception (tryJust)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Word (Word32)
import Foreign.C.String (CString)
import Foreign.C.Types (CSize (..))
import Foreign.ForeignPtr (ForeignPtr)
import Foreign.Marshal.Alloc (allocaBytes)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.Ptr (Ptr, castPtr)
import Sealane.Error (SealaneError (..))
import Sealane.Foreign (AgeError, Shared, Status, checkAge, newShared, pureCall, withBytes, withShared)

-- | The kind of a pair of keys.
data Kind
    = -- | @age1…@, which every implementation of age supports.
      X25519
    | -- | ML-KEM-768 with X25519: @age1pq1…@, which is post-quantum. age supports it since 1.3.
      MlKem768X25519
    deriving (Eq, Show)

-- | The form of a file. Decryption recognises it. "Sealane.Age.Ranges" reads only the binary form.
data Format
    = -- | The binary form.
      Binary
    | -- | The text form: armor.
      Armor
    deriving (Eq, Show)

-- | Returns the number that stands for a form in the C interface.
formatNumber :: Format -> Word32
formatNumber Binary = 0
formatNumber Armor = 1

-- | The keys that a file is encrypted for.
newtype Recipients = Recipients (ForeignPtr (Shared RecipientList))

-- | The secret keys that open files. Their memory is wiped.
newtype Identities = Identities (ForeignPtr (Shared IdentityList))

-- | Returns the text of a new identity: a secret key, @AGE-SECRET-KEY-…@.
--
-- Throws 'SealaneError' if the operating system's generator fails.
generateIdentity :: Kind -> IO ByteString
generateIdentity !kind = keyText $ \text size -> checkAge (ageKeygen number text size)
  where
    number = case kind of
        X25519 -> 1
        MlKem768X25519 -> 2

-- | Returns the text of an identity's recipient: its public key, @age1…@. Fails if the argument is
-- not exactly one identity, or is one of a plugin.
identityRecipient :: ByteString -> Either SealaneError ByteString
identityRecipient !identity = attempt . withBytes identity $ \start len ->
    keyText $ \text size -> checkAge (ageRecipient (castPtr start) len text size)

-- | Returns the recipients of a text with one on each line. Fails if a line is not a recipient, or
-- there is none.
--
-- Empty lines and lines that begin with @#@ are skipped. Plugin recipients are refused.
recipientsFromText :: ByteString -> Either SealaneError Recipients
recipientsFromText !text = recipientsThat $ \list -> add recipientsAdd list text

-- | Returns a passphrase as the only recipient. Fails if it is empty or not UTF-8.
--
-- Encryption and decryption each take about a second and 256 MiB of memory.
recipientsFromPassphrase :: ByteString -> Either SealaneError Recipients
recipientsFromPassphrase !passphrase = recipientsThat $ \list ->
    withBytes passphrase $ \start len -> checkAge (recipientsAddPassphrase list (castPtr start) len 0)

-- | Returns the recipients that a function adds to an empty list.
recipientsThat :: (Ptr RecipientList -> IO ()) -> Either SealaneError Recipients
recipientsThat = attempt . fmap Recipients . newKeys recipientsNew

-- | Returns the identities of a text with one on each line. Fails if a line is not an identity, or
-- there is none.
--
-- Empty lines and lines that begin with @#@ are skipped. Plugin identities are refused.
identitiesFromText :: ByteString -> Either SealaneError Identities
identitiesFromText !text = identitiesThat $ \list -> add identitiesAdd list text

-- | Returns a passphrase that opens files. Fails if it is not UTF-8.
--
-- Files that ask for a scrypt work factor above 22 are refused. That factor takes 4 GiB of memory
-- and half a minute.
identitiesFromPassphrase :: ByteString -> Either SealaneError Identities
identitiesFromPassphrase !passphrase = identitiesThat $ \list ->
    withBytes passphrase $ \start len -> checkAge (identitiesAddPassphrase list (castPtr start) len 0)

-- | Returns the identities that a function adds to an empty list.
identitiesThat :: (Ptr IdentityList -> IO ()) -> Either SealaneError Identities
identitiesThat = attempt . fmap Identities . newKeys identitiesNew

add :: AddText a -> Ptr a -> ByteString -> IO ()
add function list text = withBytes text $ \start len -> checkAge (function list (castPtr start) len)

-- | Returns the result or the 'SealaneError' of an action, which must be deterministic, throw
-- nothing else, and evaluate no arguments of users, as in 'pureCall'.
--
-- Throws the error if there is not enough memory, because that is no result of the arguments.
attempt :: IO a -> Either SealaneError a
attempt = pureCall . tryJust refused
  where
    -- SEALANE_NO_MEMORY
    refused failure = if errorStatus failure == 19 then Nothing else Just failure

-- | Returns a text that the library writes to a buffer, and wipes the buffer.
keyText :: (CString -> CSize -> IO ()) -> IO ByteString
keyText body = allocaBytes size $ \text -> do
    body text (fromIntegral size)
    copy <- B.packCString text
    copy <$ fillBytes text 0 size
  where
    -- SEALANE_AGE_KEY_TEXT_BYTES
    size = 2048

-- | Creates a list of keys, and adds keys to it.
newKeys :: IO (Ptr (Shared a)) -> (Ptr a -> IO ()) -> IO (ForeignPtr (Shared a))
newKeys new fill = do
    keys <- newShared new
    keys <$ withShared keys fill

-- | @sealane_age_recipients@
data RecipientList

-- | @sealane_age_identities@
data IdentityList

-- | Adds the lines of a text to a list.
type AddText a = Ptr a -> CString -> CSize -> Ptr AgeError -> IO Status

foreign import ccall unsafe "sealane_hs.h sealane_hs_recipients_new"
    recipientsNew :: IO (Ptr (Shared RecipientList))

foreign import ccall unsafe "sealane_hs.h sealane_hs_identities_new"
    identitiesNew :: IO (Ptr (Shared IdentityList))

-- Texts may be long, and each key takes time, so these are safe calls.
foreign import ccall safe "sealane.h sealane_age_recipients_add"
    recipientsAdd :: AddText RecipientList

foreign import ccall safe "sealane.h sealane_age_recipients_add_passphrase"
    recipientsAddPassphrase :: Ptr RecipientList -> CString -> CSize -> Word32 -> Ptr AgeError -> IO Status

foreign import ccall safe "sealane.h sealane_age_identities_add"
    identitiesAdd :: AddText IdentityList

foreign import ccall safe "sealane.h sealane_age_identities_add_passphrase"
    identitiesAddPassphrase :: Ptr IdentityList -> CString -> CSize -> Word32 -> Ptr AgeError -> IO Status

foreign import ccall safe "sealane.h sealane_age_keygen"
    ageKeygen :: Word32 -> CString -> CSize -> Ptr AgeError -> IO Status

foreign import ccall safe "sealane.h sealane_age_recipient"
    ageRecipient :: CString -> CSize -> CString -> CSize -> Ptr AgeError -> IO Status
