-- | Encrypts and decrypts files in an empty folder, whose path must be absolute, while @synced.c@
-- records how they get to the disk and lets calls fail.
module Main (main) where

import Control.Exception (try)
import Control.Monad (forM_)
import qualified Data.ByteString as B
import Data.List (isPrefixOf, isSuffixOf, nub, sort)
import Foreign.C.Error (Errno (..), eACCES, eINVAL, eIO, eNOTSUP)
import Foreign.C.String (CString, peekCString, withCString)
import Foreign.C.Types (CChar, CInt)
import Foreign.Ptr (Ptr, castPtr, nullPtr)
import Foreign.Storable (poke)
import System.Directory (createDirectory, doesFileExist, listDirectory, removeFile, setCurrentDirectory)
import System.Environment (getArgs)
import System.IO.Error (ioeGetLocation)

import Expect
import Sealane.Age

main :: IO ()
main = do
    [folder] <- getArgs
    text <- generateIdentity X25519
    let recipients = right (identityRecipient text >>= recipientsFromText)
        identities = right (identitiesFromText text)
        from = folder ++ "/content"
        to = folder ++ "/results/file"
        encryptTo = encryptFile recipients Binary from
    B.writeFile from (B.replicate 200000 7)
    createDirectory (folder ++ "/results")
    setCurrentDirectory (folder ++ "/results")

    len <- complete "encryption" LockSucceeds to (encryptTo to)
    expect "the length of the file" (len > 200000)
    encryptTo (folder ++ "/encrypted")
    plain <- complete "decryption" LockSucceeds to (decryptFile identities (folder ++ "/encrypted") to)
    expect "the length of the content" (plain == 200000)
    -- The folder of a name without one is the current one.
    _ <- complete "a name without a folder" LockSucceeds "file" (encryptFile recipients Binary from "file")
    forM_ [LockTaken, LockRemoved, LockReplaced, LockUnsupported] $ \fate ->
        complete (show fate) fate to (encryptTo to)

    setNumber "synced_file_error" eIO
    refused <- try (encryptTo to)
    expect ("a file that cannot be synced: " ++ show refused) (location refused == Just "fsync")
    names <- listDirectory "."
    expect ("it is removed: " ++ show names) (null names)
    setNumber "synced_file_error" (Errno 0)

    forM_ [eINVAL, eNOTSUP, eACCES] $ \errno -> do
        setNumber "synced_folder_error" errno
        encryptTo to
        removeFile to
    setNumber "synced_folder_error" eIO
    unsure <- try (encryptTo to)
    expect ("a folder that cannot be synced: " ++ show unsure) (location unsure == Just "fsync of folder")
    isThere <- doesFileExist to
    expect "the file is complete" isThere
    putStrLn "files are on the disk when they get their names"
  where
    right = either (error . show) id
    location = either (Just . ioeGetLocation) (const Nothing)

-- | The result of the first attempt to lock, in the order of @synced.c@.
data Fate = LockSucceeds | LockTaken | LockRemoved | LockReplaced | LockUnsupported
    deriving (Enum, Eq, Show)

-- | Checks the events of an action that creates a file in an empty folder. Removes the file and
-- returns its length.
complete :: String -> Fate -> FilePath -> IO () -> IO Int
complete name fate path action = do
    events <- address "synced_events" :: IO (Ptr CChar)
    poke events 0
    setNumber "synced_fate" (Errno (fromIntegral (fromEnum fate)))
    action
    lines' <- map words . lines <$> peekCString events
    let isLost = fate `elem` [LockTaken, LockRemoved, LockReplaced]
        isUnfinished file = ".sealane-" `isPrefixOf` file && ".tmp" `isSuffixOf` file
        locks = [file | "lock" : file : _ <- lines']
        context = name ++ ": " ++ show lines'
        -- A file with the name of a lost one belongs to another process.
        others = [["folder", "with", file, "0"] | fate == LockReplaced, file <- take 1 locks]
        (synced, folders) = splitAt 1 (drop (length locks) lines')
    expect ("locks of unfinished files: " ++ context) $
        all ((== (if isLost then 2 else 1)) . length) [locks, nub locks] && all isUnfinished locks
    len <- case synced of
        [["file", file, len]] -> do
            expect ("the unfinished file is synced first: " ++ context) (file == last locks)
            pure len
        _ -> expect ("events: " ++ context) False >> pure ""
    let locked = ["locked" | fate /= LockUnsupported]
        named = ["folder", "with"] ++ locked ++ ["file", len]
    expect ("the folder is synced with the new name: " ++ context) (sort folders == sort (named : others))
    forM_ [file | [_, _, file, _] <- others] removeFile
    removeFile path
    names <- listDirectory "."
    expect ("no other file is left: " ++ show names) (null names)
    pure (read len)

-- | Sets a number of @synced.c@.
setNumber :: String -> Errno -> IO ()
setNumber name (Errno value) = address name >>= \pointer -> poke pointer value

-- | Returns the address of a variable of @synced.c@.
address :: String -> IO (Ptr a)
address name = castPtr <$> withCString name (dlsym nullPtr)

foreign import ccall unsafe "dlsym"
    dlsym :: Ptr () -> CString -> IO (Ptr CInt)
