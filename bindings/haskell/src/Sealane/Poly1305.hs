{-# LANGUAGE BangPatterns #-}

-- |
-- Description: Poly1305
--
-- The one-time authenticator Poly1305 (RFC 8439, section 2.5). __A key that authenticates two
-- messages lets an attacker forge more.__ "Sealane.ChaCha20Poly1305" derives a new key for each
-- message.
module Sealane.Poly1305
    ( Tag
    , tagBytes
    , tagFromBytes
    , tagToBytes
    , mac
    , verify
    ) where

import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Internal as B (create)
import Sealane.Foreign
    ( check
    , checkAuthentic
    , isShort
    , poly1305MacSafe
    , poly1305MacUnsafe
    , poly1305VerifySafe
    , poly1305VerifyUnsafe
    , pureCall
    , sameBytes
    , withBytes
    )
import Sealane.Key (Key, withKey)

-- | A tag of 16 bytes. '==' does not stop at the first difference, so it does not reveal its
-- position.
newtype Tag = Tag ByteString
    deriving (Show)

instance Eq Tag where
    Tag a == Tag b = sameBytes a b

-- | The length of a tag in bytes: 16.
tagBytes :: Int
tagBytes = 16

-- | Returns a tag, or 'Nothing' if the length is wrong.
tagFromBytes :: ByteString -> Maybe Tag
tagFromBytes bytes
    | B.length bytes == tagBytes = Just (Tag bytes)
    | otherwise = Nothing

-- | Returns the bytes of a tag.
tagToBytes :: Tag -> ByteString
tagToBytes (Tag bytes) = bytes

-- | Returns the tag of a message.
mac :: Key -> ByteString -> Tag
mac !key !message = Tag . pureCall $
    withKey key $ \keyPtr -> withBytes message $ \from len ->
        B.create tagBytes $ \tag -> call keyPtr from len tag >>= check
  where
    call = if isShort (B.length message) then poly1305MacUnsafe else poly1305MacSafe

-- | Returns whether a message has this tag. Compares tags in constant time.
verify :: Key -> ByteString -> Tag -> Bool
verify !key !message (Tag !tag) = pureCall $
    withKey key $ \keyPtr -> withBytes message $ \from len -> withBytes tag $ \tagPtr _ ->
        call keyPtr from len tagPtr >>= checkAuthentic
  where
    call = if isShort (B.length message) then poly1305VerifyUnsafe else poly1305VerifySafe
