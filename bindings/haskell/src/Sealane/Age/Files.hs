-- | Files of the operating system.
module Sealane.Age.Files
    ( withInput
    , withOutput
    , fileLen
    ) where

import Control.Exception (bracket, finally, onException)
import qualified Data.ByteString as B
import Data.Int (Int64)
import Foreign.C.Error (eEXIST, getErrno, throwErrnoPath, throwErrnoPathIfMinus1, throwErrnoPathIfMinus1_)
import Foreign.C.String (CString)
import Foreign.C.Types (CInt (..), CUInt (..))
import Sealane.Foreign (masked)
import Sealane.Key (generateBytes)
import System.Posix.Internals (withFilePath)
import Text.Printf (printf)

-- | Passes a file that is open for reading to a function. Throws an 'IOError'.
withInput :: FilePath -> (CInt -> IO a) -> IO a
withInput path body = withFilePath path $ \text ->
    bracket (throwErrnoPathIfMinus1 "open" path (openInput text)) close body

-- | Passes a new file with these permissions to a function. Then writes the file to the disk, and
-- gives it its name. Throws an 'IOError'. After an exception, the file is removed, unless it has
-- its name by then.
--
-- Until the file has its name, it is locked, so the command @sealane@ does not remove it as the
-- unfinished file of a run that was killed.
withOutput :: FilePath -> CUInt -> (CInt -> IO ()) -> IO ()
withOutput to mode body = withFilePath to $ \path -> do
    -- Otherwise, the error would come only at the end.
    throwErrnoPathIfMinus1_ "open" to (refuseExisting path)
    masked $ do
        (temporary, output) <- create attempts
        withFilePath temporary (write path output) `finally` close output
  where
    folder = reverse (dropWhile (/= '/') (reverse to))
    attempts = 100 :: Int

    -- Tries other names if other processes have the first ones.
    create left = do
        number <- generateBytes 8
        let temporary = folder ++ ".sealane-" ++ concatMap (printf "%02x") (B.unpack number) ++ ".tmp"
        output <- withFilePath temporary (`openOutput` mode)
        if output /= -1
            then pure (temporary, output)
            else do
                errno <- getErrno
                if errno == eEXIST && left > 1 then create (left - 1) else throwErrnoPath "open" to

    write path output unfinished = do
        complete `onException` unlink unfinished
        withFilePath (if null folder then "." else folder) $ \parent ->
            throwErrnoPathIfMinus1_ "fsync of folder" to (syncFolder parent)
      where
        complete = do
            body output
            -- Otherwise, the name could be on the disk before the content.
            throwErrnoPathIfMinus1_ "fsync" to (sync output)
            throwErrnoPathIfMinus1_ "rename" to (renameNew unfinished path)

foreign import ccall safe "sealane_hs_open_input"
    openInput :: CString -> IO CInt

-- | Creates and locks a file with these permissions. Fails with 'eEXIST' if another process has it.
foreign import ccall safe "sealane_hs_open_output"
    openOutput :: CString -> CUInt -> IO CInt

-- | Fails if a file exists, or its folder cannot be searched.
foreign import ccall safe "sealane_hs_refuse_existing"
    refuseExisting :: CString -> IO CInt

-- | Gives a file another name. Fails if another file has it.
foreign import ccall safe "sealane_hs_rename_new"
    renameNew :: CString -> CString -> IO CInt

-- | Writes a file to the disk.
foreign import ccall safe "sealane_hs_sync"
    sync :: CInt -> IO CInt

-- | Writes the names in a folder to the disk, if its file system and its permissions allow that.
foreign import ccall safe "sealane_hs_sync_folder"
    syncFolder :: CString -> IO CInt

-- | Returns the length of an open file in bytes, or -1.
foreign import ccall safe "sealane_hs_file_len"
    fileLen :: CInt -> IO Int64

-- | Closes a file.
foreign import ccall safe "close"
    close :: CInt -> IO CInt

-- | Removes a file.
foreign import ccall safe "unlink"
    unlink :: CString -> IO CInt
