-- | Files of the operating system.
module Sealane.Age.Files
    ( withInput
    , openOutput
    , refuseExisting
    , renameNew
    , close
    , unlink
    , fileLen
    ) where

import Control.Exception (bracket)
import Data.Int (Int64)
import Foreign.C.Error (throwErrnoPathIfMinus1)
import Foreign.C.String (CString)
import Foreign.C.Types (CInt (..), CUInt (..))
import System.Posix.Internals (withFilePath)

-- | Passes a file that is open for reading to a function. Throws an 'IOError'.
withInput :: FilePath -> (CInt -> IO a) -> IO a
withInput path body = withFilePath path $ \text ->
    bracket (throwErrnoPathIfMinus1 "open" path (openInput text)) close body

foreign import ccall safe "sealane_hs_open_input"
    openInput :: CString -> IO CInt

-- | Creates a file with these permissions. Fails if the file exists.
foreign import ccall safe "sealane_hs_open_output"
    openOutput :: CString -> CUInt -> IO CInt

-- | Fails if a file exists, or its folder cannot be searched.
foreign import ccall safe "sealane_hs_refuse_existing"
    refuseExisting :: CString -> IO CInt

-- | Gives a file another name. Fails if another file has it.
foreign import ccall safe "sealane_hs_rename_new"
    renameNew :: CString -> CString -> IO CInt

-- | Returns the length of an open file in bytes, or -1.
foreign import ccall safe "sealane_hs_file_len"
    fileLen :: CInt -> IO Int64

-- | Closes a file.
foreign import ccall safe "close"
    close :: CInt -> IO CInt

-- | Removes a file.
foreign import ccall safe "unlink"
    unlink :: CString -> IO CInt
