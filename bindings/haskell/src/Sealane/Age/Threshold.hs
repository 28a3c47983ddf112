{-# LANGUAGE BangPatterns #-}

-- |
-- Description: age files that several people open together
--
-- Files that any @k@ of @n@ people open together. Each holder contributes a part for one file,
-- which helps to open nothing else, and one person collects the parts. Only Sealane reads and
-- writes such files.
--
-- >>> [a, b, c] <- mapM generateIdentity [X25519, X25519, X25519]
-- >>> let Right public = mapM identityRecipient [a, b, c]
-- >>> let Right recipients = recipientsRequiring 2 "the safe" (Data.ByteString.Char8.unlines public)
-- >>> file <- encrypt recipients Binary "attack at dawn"
-- >>> let Right [part] = identitiesFromText a >>= \holder -> contribute holder file
-- >>> (partLabel part, partThreshold part, partCount part, partPoint part)
-- ("the safe",2,3,1)
-- >>> let Right together = identitiesWithParts c [partText part]
-- >>> decrypt together file
-- Right "attack at dawn"
module Sealane.Age.Threshold
    ( recipientsRequiring
    , Part (..)
    , contribute
    , identitiesWithParts
    ) where

import Control.Exception (throwIO)
import Control.Monad (forM_, unless)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.Word (Word8)
import Foreign.C.String (CString)
import Foreign.C.Types (CSize (..))
import Foreign.Marshal.Alloc (alloca, allocaBytes)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.Ptr (Ptr, castPtr, plusPtr)
import Foreign.Storable (peek, peekByteOff, poke)
import Sealane.Age.Keys
import Sealane.Error (SealaneError)
import Sealane.Foreign (AgeError, Status, checkAge, sameBytes, tryAge, withBytes, withShared)

-- | Returns the recipients of a text with one on each line, any @threshold@ of whom open files
-- together. Fails if a line is not a recipient, if the threshold is below 2 or above 255, or if the
-- label is not allowed: up to 100 bytes of UTF-8, without invisible characters, and without white
-- space at its start or end.
--
-- Encryption throws 'SealaneError' if there are fewer recipients than the threshold, or a recipient
-- occurs twice.
recipientsRequiring
    :: Int
    -- ^ The threshold.
    -> ByteString
    -- ^ A label, which holders see before they contribute. It may be empty.
    -> ByteString
    -- ^ The recipients.
    -> Either SealaneError Recipients
recipientsRequiring !threshold !label !text = recipientsThat $ \list -> do
    withBytes text $ \start len -> checkAge (recipientsAdd list (castPtr start) len)
    -- A negative number becomes too large, so it is refused.
    withBytes label $ \start len ->
        checkAge (recipientsRequire list (fromIntegral threshold) (castPtr start) len)

-- | The part of a file key that a holder contributes. '==' does not stop at the first byte of the
-- text that differs, so it does not reveal its position.
data Part = Part
    { partText :: ByteString
    -- ^ The text, which is secret, for 'identitiesWithParts'. Send it to the person who opens the
    -- file.
    , partLabel :: ByteString
    -- ^ The authenticated note from the creator of the file, in UTF-8.
    , partShareSet :: ByteString
    -- ^ The share set id in hexadecimal digits, as @sealane inspect@ shows it.
    , partThreshold :: Word8
    -- ^ The number of parts needed to open the file.
    , partCount :: Word8
    -- ^ The number of holders.
    , partPoint :: Word8
    -- ^ The number of this holder, counted from 1.
    }

instance Eq Part where
    a == b = public a == public b && sameBytes (partText a) (partText b)
      where
        public part = (partLabel part, partShareSet part, partThreshold part, partCount part, partPoint part)

-- | Does not show the text.
instance Show Part where
    showsPrec depth part =
        showParen (depth > 10) $
            showString "Part {partLabel = " . shows (partLabel part)
                . showString ", partShareSet = " . shows (partShareSet part)
                . showString ", partThreshold = " . shows (partThreshold part)
                . showString ", partCount = " . shows (partCount part)
                . showString ", partPoint = " . shows (partPoint part)
                . showString ", ..}"

-- | Returns the parts that these identities contribute to a file. Show each holder the label and
-- the share set id, and nothing else about the file, before the holder sends the part. Fails if the
-- header is incomplete or malformed, or a share is wrong.
--
-- The list is empty if no identity holds a share of the file.
contribute
    :: Identities
    -> ByteString
    -- ^ The file, or its beginning with the whole header.
    -> Either SealaneError [Part]
contribute (Identities !keys) !file = attempt . withShared keys $ \identities ->
    withBytes file $ \start len -> alloca $ \count ->
        let take' room = do
                (failed, found) <- allocaBytes (room * partBytes) $ \parts -> do
                    poke count 0
                    failed <- tryAge (ageContribute identities start len parts (fromIntegral room) count)
                    number <- fromIntegral <$> peek count
                    let taken = if null failed then number else 0
                    found <- mapM (peekPart . plusPtr parts . (* partBytes)) [0 .. taken - 1]
                    fillBytes parts 0 (taken * partBytes)
                    pure (failed, (number, found))
                case (failed, found) of
                    (Nothing, (_, parts)) -> pure parts
                    (Just (failure, _), (number, _))
                        | number > room -> take' number
                        | otherwise -> throwIO failure
         in take' holders
  where
    -- The largest number of holders in files that this library creates.
    holders = 255

-- | Returns the identities of a text, as 'identitiesFromText' does, and the parts of other holders.
-- The text may be empty. Fails if one of the texts is not a part.
--
-- A part opens only the file that it was created for. If there are too few parts, decryption fails,
-- and the error tells how many are missing, or that a part is wrong or of another file.
identitiesWithParts
    :: ByteString
    -- ^ Identities.
    -> [ByteString]
    -- ^ Texts of parts.
    -> Either SealaneError Identities
identitiesWithParts !text parts = flip (foldr seq) parts . identitiesThat $ \list -> do
    unless (B.null text) . withBytes text $ \start len -> checkAge (identitiesAdd list (castPtr start) len)
    forM_ parts $ \part ->
        withBytes part $ \start len -> checkAge (identitiesAddPart list (castPtr start) len)

-- | @sealane_age_part@
data PartDetails

-- | The length of @sealane_age_part@: three texts and three numbers.
partBytes, partTextBytes, partLabelBytes, partShareSetBytes :: Int
partBytes = partTextBytes + partLabelBytes + partShareSetBytes + 3
partTextBytes = 96
partLabelBytes = 101
partShareSetBytes = 33

peekPart :: Ptr PartDetails -> IO Part
peekPart part =
    Part
        <$> B.packCString (castPtr part)
        <*> B.packCString (castPtr part `plusPtr` partTextBytes)
        <*> B.packCString (castPtr part `plusPtr` (partTextBytes + partLabelBytes))
        <*> number 0
        <*> number 1
        <*> number 2
  where
    number i = peekByteOff part (partTextBytes + partLabelBytes + partShareSetBytes + i)

-- The texts may be long.
foreign import ccall safe "sealane.h sealane_age_recipients_require"
    recipientsRequire :: Ptr RecipientList -> CSize -> CString -> CSize -> Ptr AgeError -> IO Status

foreign import ccall safe "sealane.h sealane_age_identities_add_part"
    identitiesAddPart :: AddText IdentityList

foreign import ccall safe "sealane.h sealane_age_contribute"
    ageContribute
        :: Ptr IdentityList
        -> Ptr Word8
        -> CSize
        -> Ptr PartDetails
        -> CSize
        -> Ptr CSize
        -> Ptr AgeError
        -> IO Status
