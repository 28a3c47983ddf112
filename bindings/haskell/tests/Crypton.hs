-- | The module with crypton's interface against cryptonite, which has the same.
module Main (main) where

import Control.Monad (forM, forM_)
import qualified Crypto.Cipher.ChaChaPoly1305 as Theirs
import Crypto.Error (CryptoFailable (..))
import Data.ByteArray (convert)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Sealane.ChaCha20Poly1305 as Whole
import qualified Sealane.Crypton as Ours
import Sealane.Key (keyFromBytes)
import System.Exit (exitFailure)
import Test.QuickCheck

passed :: CryptoFailable a -> a
passed (CryptoPassed a) = a
passed (CryptoFailed e) = error (show e)

refused :: CryptoFailable a -> Maybe String
refused (CryptoFailed e) = Just (show e)
refused (CryptoPassed _) = Nothing

bytes :: Int -> Gen ByteString
bytes len = B.pack <$> vector len

-- | Pieces of any length, some of which are passed with a safe call.
pieces :: Gen [ByteString]
pieces = do
    count <- chooseInt (0, 5)
    forM [1 .. count] $ \_ -> frequency [(1, pure 0), (9, chooseInt (1, 200)), (1, chooseInt (16380, 20000))] >>= bytes

-- | Returns the texts of all pieces, and what is left.
walk :: (ByteString -> s -> (ByteString, s)) -> [ByteString] -> s -> ([ByteString], s)
walk _ [] state = ([], state)
walk step (piece : rest) state = (text : texts, end)
  where
    (text, next) = step piece state
    (texts, end) = walk step rest next

same :: Property
same = forAll ((,,,) <$> bytes 32 <*> bytes 12 <*> pieces <*> pieces) $ \(key, nonce, aads, texts) ->
    let ours = foldl (flip Ours.appendAAD) (passed (Ours.initialize key (passed (Ours.nonce12 nonce)))) aads
        theirs = foldl (flip Theirs.appendAAD) (passed (Theirs.initialize key (passed (Theirs.nonce12 nonce)))) aads
        begun = Ours.finalizeAAD ours
        (sealed, end) = walk Ours.encrypt texts begun
        (sealed', end') = walk Theirs.encrypt texts (Theirs.finalizeAAD theirs)
        -- The state of the beginning can be used again.
        (opened, end'') = walk Ours.decrypt sealed begun
        tag = convert (Ours.finalize end) :: ByteString
        Just key' = keyFromBytes key
        Just nonce' = Whole.nonceFromBytes nonce
     in conjoin
            [ sealed === sealed'
            , opened === texts
            , property (Ours.finalize end == Theirs.finalize end')
            , property (Ours.finalize end'' == Ours.finalize end)
            , Whole.seal key' nonce' (B.concat aads) (B.concat texts) === B.concat sealed <> tag
            ]

increments :: Property
increments = forAll ((,) <$> bytes 4 <*> bytes 8) $ \(constant, iv) ->
    conjoin
        [ show (Ours.incrementNonce (passed (Ours.nonce8 constant iv))) === nonceOf (Theirs.incrementNonce (passed (Theirs.nonce8 constant iv)))
        , show (Ours.incrementNonce (passed (Ours.nonce12 (constant <> iv)))) === nonceOf (Theirs.incrementNonce (passed (Theirs.nonce12 (constant <> iv))))
        ]
  where
    nonceOf nonce = show (convert nonce :: ByteString)

main :: IO ()
main = do
    forM_ [0, 8, 11, 13, 24] $ \len -> expect (refused (Ours.nonce12 (B.replicate len 0)) == refused (Theirs.nonce12 (B.replicate len 0)))
    forM_ [(3, 8), (4, 7), (8, 4)] $ \(a, b) ->
        expect (refused (Ours.nonce8 (B.replicate a 0) (B.replicate b 0)) == refused (Theirs.nonce8 (B.replicate a 0) (B.replicate b 0)))
    let nonce = passed (Ours.nonce12 (B.replicate 12 7))
    forM_ [0, 16, 31, 33] $ \len ->
        expect (refused (Ours.initialize (B.replicate len 1) nonce) == refused (Theirs.initialize (B.replicate len 1) (passed (Theirs.nonce12 (B.replicate 12 7)))))
    -- A carry passes over the bytes that may change, and no further.
    expect (Ours.incrementNonce (passed (Ours.nonce8 (B.replicate 4 9) (B.replicate 8 255))) == passed (Ours.nonce8 (B.replicate 4 9) (B.replicate 8 0)))
    results <- mapM (quickCheckWithResult stdArgs{maxSuccess = 300}) [same, increments]
    expect (all isSuccess results)
  where
    expect ok = if ok then pure () else exitFailure
