-- | Keys in memory outside Haskell's heap.
module Sealane.Key.Memory
    ( Key
    , keyBytes
    , newKey
    , withKey
    ) where

import Control.Exception (mask_)
import Data.Word (Word8)
import Foreign.ForeignPtr (ForeignPtr, newForeignPtr, withForeignPtr)
import Foreign.Marshal.Alloc (mallocBytes)
import Foreign.Ptr (Ptr)
import Sealane.Foreign (freeKey)

-- | A secret key.
newtype Key = Key (ForeignPtr Word8)

-- | Does not show the key.
instance Show Key where
    show _ = "Key"

-- | The length of a key in bytes: 32.
keyBytes :: Int
keyBytes = 32

-- | Returns a key that a function writes. Its finalizer wipes it.
newKey :: (Ptr Word8 -> IO ()) -> IO Key
newKey fill = mask_ $ do
    -- Masked, because an exception between allocation and finalizer would leak the memory.
    memory <- mallocBytes keyBytes >>= newForeignPtr freeKey
    withForeignPtr memory fill
    pure (Key memory)

-- | Passes the 32 bytes of a key to a function, which must not keep the pointer.
withKey :: Key -> (Ptr Word8 -> IO a) -> IO a
withKey (Key memory) = withForeignPtr memory
