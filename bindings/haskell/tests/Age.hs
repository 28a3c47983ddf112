{-# LANGUAGE OverloadedStrings #-}

-- | Tests of age files.
module Age
    ( cctv
    , files
    , littleMemory
    ) where

import Control.Concurrent (forkIO, newEmptyMVar, putMVar, takeMVar)
import Control.Exception (IOException, evaluate, try)
import Control.Monad (forM, forM_, when)
import Data.Bits (xor, (.&.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import Foreign.C.Error (eWOULDBLOCK, getErrno, throwErrnoPathIfMinus1, throwErrnoPathIfMinus1_)
import Foreign.C.Types (CInt (..))
import System.Directory (createDirectory, doesPathExist, listDirectory, removeFile)
import System.Exit (ExitCode (..))
import System.IO (IOMode (ReadWriteMode), withBinaryFile)
import System.IO.Error (isAlreadyExistsError, isDoesNotExistError)
import System.Posix.Files (createNamedPipe, fileMode, getFileStatus)
import System.Posix.Internals (c_close, c_open, o_RDONLY, withFilePath)
import System.Posix.Process (ProcessStatus (..), exitImmediately, forkProcess, getProcessStatus)
import System.Posix.Resource (Resource (..), ResourceLimit (..), ResourceLimits (..), setResourceLimit)

import Consume
import Expect
import Sealane.Age
import qualified Sealane.Age.Lazy as Lazy
import Sealane.Error (SealaneError (..))

-- | Decrypts the vectors in a folder, in memory and to files in an empty folder. Writes what lazy
-- decryption returns, also for damaged files, to a third folder. Returns the number of valid
-- vectors.
cctv :: FilePath -> FilePath -> FilePath -> IO Int
cctv folder out beginnings = do
    names <- listDirectory folder
    expect "all vectors" (length names == 147)
    other <- generateIdentity X25519
    fmap sum . forM names $ \name -> do
        let (from, to) = (folder ++ "/" ++ name, out ++ "/" ++ name)
        (header, rest) <- B.breakSubstring "\n\n" <$> B.readFile from
        let fields key = [B.drop (B.length key) line | line <- C.lines header, key `B.isPrefixOf` line]
            file = B.drop 2 rest
            -- Headers with several passphrases, or with a passphrase and other keys, are malformed
            -- for any key.
            keys = case (fields "identity: ", fields "passphrase: ") of
                (_, passphrase : _) -> identitiesFromPassphrase passphrase
                ([], []) -> identitiesFromText other
                (texts, []) -> identitiesFromText (C.unlines texts)
            identities = either (error . show) id keys
            content = decrypt identities file
            statuses = case fields "expect: " of
                ["success"] -> [0]
                ["no match"] -> [15]
                ["header failure"] -> [16, 18]
                ["armor failure"] -> [16]
                -- HMAC failure, payload failure
                _ -> [1]
            status = either errorStatus (const 0)
        B.writeFile (to ++ ".age") file
        result <- try (decryptFile identities (to ++ ".age") to)
        expect (name ++ " in memory: " ++ show (status content)) (status content `elem` statuses)
        expect (name ++ " as a file: " ++ show result) (status result `elem` statuses)
        isThere <- doesPathExist to
        expect (name ++ ": only whole files are left") (isThere == (status result == 0))
        written <- if isThere then Just <$> B.readFile to else pure Nothing
        expect (name ++ ": both agree") (written == either (const Nothing) Just content)
        (beginning, lazily) <- consume (Lazy.decrypt identities (L.fromStrict file))
        expect (name ++ " lazily: " ++ show lazily) (lazily == either Just (const Nothing) content)
        expect (name ++ ": all of it, lazily") (all (== beginning) content)
        B.writeFile (beginnings ++ "/" ++ name) beginning
        pure (if isThere then 1 else 0)

-- | Encrypts and decrypts files in a folder, and passes wrong arguments.
files :: FilePath -> IO ()
files folder = do
    forM_ [(kind, form) | kind <- [X25519, MlKem768X25519], form <- [Binary, Armor]] $ \(kind, form) -> do
        text <- generateIdentity kind
        other <- generateIdentity kind
        let recipients = right (identityRecipient text >>= recipientsFromText)
            identities = right (identitiesFromText text)
            both = right (identitiesFromText (C.unlines ["# keys", other, "", text]))
            path = folder ++ "/" ++ show kind ++ show form
        forM_ [0 :: Int, 1, 65535, 65536, 65537, 400000] $ \len -> do
            let content = B.pack [fromIntegral (i * i + i `div` 251) | i <- [1 .. len]]
                from = path ++ show len
            file <- encrypt recipients form content
            expect "armor" (("-----BEGIN AGE ENCRYPTED FILE-----" `B.isPrefixOf` file) == (form == Armor))
            expect "memory" (map (`decrypt` file) [identities, both] == [Right content, Right content])
            expect "another identity" (status (decrypt (right (identitiesFromText other)) file) == 15)
            expect "half a file" (status (decrypt identities (B.take (B.length file `div` 2) file)) `elem` [1, 16])
            expect "a changed end" (status (decrypt identities (changed form file)) `elem` [1, 16])
            B.writeFile from content
            encryptFile recipients form from (from ++ ".age")
            decryptFile identities (from ++ ".age") (from ++ ".copy")
            copy <- B.readFile (from ++ ".copy")
            expect "files" (copy == content)
            mode <- fileMode <$> getFileStatus (from ++ ".copy")
            expect "only the owner may read it" (mode .&. 0o777 == 0o600)
            B.writeFile (from ++ ".damaged") (changed form file)
            damaged <- try (decryptFile identities (from ++ ".damaged") (from ++ ".none"))
            expect "a damaged file" (status damaged `elem` [1, 16])
            isThere <- doesPathExist (from ++ ".none")
            expect "no file after an error" (not isThere)
        isOther <- try (encryptFile recipients form (path ++ "1") (path ++ "1.age")) :: IO (Either IOException ())
        expect "a file that is there" (either isAlreadyExistsError (const False) isOther)
        before <- B.readFile (path ++ "1.age")
        expect "it is as before" (status (decrypt identities before) == 0)
        missing <- try (decryptFile identities (path ++ "-missing") (path ++ "-none")) :: IO (Either IOException ())
        expect "a file that is missing" (either isDoesNotExistError (const False) missing)
        expect "two identities have no recipient" (status (identityRecipient (C.unlines [text, other])) == 12)
        expect "a recipient is no identity" (status (identityRecipient text >>= identitiesFromText) == 12)
        expect "an identity is no recipient" (status (recipientsFromText text) == 12)
    unfinished folder
    let recipients = right (recipientsFromPassphrase "Gr\195\188\195\159e")
    file <- encrypt recipients Binary "attack at dawn"
    let identities = right (identitiesFromPassphrase "Gr\195\188\195\159e")
    expect "a passphrase" (decrypt identities file == Right "attack at dawn")
    expect "a wrong passphrase" (status (decrypt (right (identitiesFromPassphrase "x")) file) == 15)
    expect "an empty passphrase" (status (recipientsFromPassphrase "") == 12)
    expect "no UTF-8" (status (recipientsFromPassphrase "\255") == 12 && status (identitiesFromPassphrase "\255") == 12)
    forM_ ["", "# nothing", "age1", "ssh-ed25519 AAAA"] $ \text ->
        expect ("keys " ++ show text) (status (recipientsFromText text) == 12 && status (identitiesFromText text) == 12)
    expect "no file" (map (status . decrypt identities) ["", "age", "age-encryption.org/v2\n"] == [16, 16, 16])
    let explained = either errorText (const "") (recipientsFromText "age1")
    expect ("an explanation: " ++ explained) (length explained > 10)
  where
    right = either (error . show) id
    status :: Either SealaneError a -> Int
    status = either errorStatus (const 0)

-- | A file has its name only when it is complete, and takes no other file's name.
unfinished :: FilePath -> IO ()
unfinished folder = do
    text <- generateIdentity X25519
    let recipients = either (error . show) id (identityRecipient text >>= recipientsFromText)
        path = folder ++ "/unfinished"
    createDirectory path
    createNamedPipe (path ++ "/pipe") 0o600
    forM_ [False, True] $ \isTaken -> do
        result <- newEmptyMVar
        _ <- forkIO (try (encryptFile recipients Binary (path ++ "/pipe") (path ++ "/file")) >>= putMVar result)
        withBinaryFile (path ++ "/pipe") ReadWriteMode $ \pipe -> do
            -- More than the pipe holds, so the other thread has read some.
            B.hPut pipe (B.replicate 1000000 7)
            names <- listDirectory path
            expect ("an unfinished file: " ++ show names) (length names == 2 && "file" `notElem` names)
            -- The command removes unfinished files that are not locked.
            locks <- mapM (isLocked . ((path ++ "/") ++)) (filter (/= "pipe") names)
            expect "the unfinished file is locked" (locks == [True])
            when isTaken (B.writeFile (path ++ "/file") "taken")
        ended <- takeMVar result
        expect ("its end: " ++ show ended) $
            either isAlreadyExistsError (const False) ended == isTaken && either (const isTaken) (const True) ended
        names <- listDirectory path
        expect ("the finished file: " ++ show names) (length names == 2 && "file" `elem` names)
        content <- B.readFile (path ++ "/file")
        expect "the other file is as before" ((content == "taken") == isTaken)
        removeFile (path ++ "/file")

-- | Returns whether a file has a lock.
isLocked :: FilePath -> IO Bool
isLocked path = do
    file <- withFilePath path $ \text -> throwErrnoPathIfMinus1 "open" path (c_open text o_RDONLY 0)
    -- LOCK_EX | LOCK_NB
    result <- flock file 6
    errno <- getErrno
    throwErrnoPathIfMinus1_ "close" path (c_close file)
    expect "the lock is another's" (result == 0 || errno == eWOULDBLOCK)
    pure (result == -1)

foreign import ccall unsafe "flock"
    flock :: CInt -> CInt -> IO CInt

-- | A lack of memory is not a result of the arguments, so it is thrown.
littleMemory :: IO ()
littleMemory = do
    file <- encrypt (right (recipientsFromPassphrase "passphrase")) Binary "text"
    child <- forkProcess $ do
        pages <- read . takeWhile (/= ' ') <$> readFile "/proc/self/statm"
        -- The passphrase needs 256 MiB.
        let most = ResourceLimit (4096 * pages + 134217728)
        setResourceLimit ResourceTotalMemory (ResourceLimits most most)
        result <- try (evaluate (decrypt (right (identitiesFromPassphrase "passphrase")) file))
        let isRight = either errorStatus (const 0) result == 19
        exitImmediately (if isRight then ExitSuccess else ExitFailure 1)
    status <- getProcessStatus True False child
    expect ("little memory: " ++ show status) (status == Just (Exited ExitSuccess))
  where
    right = either (error . show) id

-- | Changes a bit of the last chunk.
changed :: Format -> ByteString -> ByteString
changed form file = before <> B.cons (B.head rest `xor` 1) (B.tail rest)
  where
    -- The last line of armor is the end marker, without content.
    (before, rest) = B.splitAt (B.length file - (if form == Armor then 50 else 5)) file
