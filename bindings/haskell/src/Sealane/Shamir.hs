{-# LANGUAGE BangPatterns #-}

-- |
-- Description: Shamir's secret sharing
--
-- Splits secrets of any length into shares (over GF(2^8), byte by byte). A threshold of shares
-- restores the secret, and fewer reveal nothing about it.
--
-- __Wrong or too few shares give a wrong secret without an error__, so authenticate the secret: for
-- example, use it as a key of "Sealane.XChaCha20Poly1305".
module Sealane.Shamir
    ( Share (..)
    , split
    , combine
    , shareAt
    ) where

import Control.Exception (evaluate)
import Control.Monad (when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Internal as B (create, createUptoN')
import Data.Word (Word8)
import Foreign.Marshal.Array (advancePtr, withArray, withArrayLen)
import Foreign.Ptr (Ptr)
import Sealane.Foreign (check, masked, pureCall, sameBytes, shamirCombine, shamirSplit, withBytes)

-- | A share, which is as long as the secret, and its evaluation point. '==' does not stop at the
-- first byte that differs, so it does not reveal its position.
data Share = Share
    { sharePoint :: !Word8
    -- ^ The evaluation point: 1 to 255, different for all shares of a secret.
    , shareBytes :: !ByteString
    -- ^ The share.
    }

instance Eq Share where
    a == b = sharePoint a == sharePoint b && sameBytes (shareBytes a) (shareBytes b)

-- | Shows the point only.
instance Show Share where
    showsPrec depth share =
        showParen (depth > 10) $ showString "Share {sharePoint = " . shows (sharePoint share) . showString ", ..}"

-- | Splits a secret into shares at these points.
--
-- Throws 'Sealane.Error.SealaneError' if the threshold is below 1 or above the number of points, if
-- a point is 0 or occurs twice, or if the operating system's generator fails.
split
    :: Int
    -- ^ The threshold.
    -> [Word8]
    -- ^ The points, such as @[1 .. 5]@ for five shares.
    -> ByteString
    -- ^ The secret.
    -> IO [Share]
split threshold points !secret = do
    mapM_ evaluate points
    -- The type in C has no negative numbers. The status is SEALANE_INVALID_SHARES.
    when (threshold < 0) (check 10)
    all' <- masked . B.create (len * length points) $ \start ->
        withArrayLen points $ \count pointsPtr -> withBytes secret $ \from size ->
            withArray (take count (iterate (`advancePtr` len) start)) $ \sharesPtr ->
                shamirSplit (fromIntegral threshold) pointsPtr (fromIntegral count) from size sharesPtr >>= check
    pure [Share point (B.copy (B.take len (B.drop (i * len) all'))) | (i, point) <- zip [0 ..] points]
  where
    len = B.length secret

-- | Restores the secret. Pass exactly as many shares as the threshold; more are allowed if all of
-- them are right. Returns 'Nothing' if there are none or more than 255, if a point is 0 or occurs
-- twice, or if the lengths differ.
combine :: [Share] -> Maybe ByteString
combine = at 0

-- | Returns the share at another point, so that a lost share can be restored. Returns 'Nothing'
-- when 'combine' does, and for point 0.
shareAt :: Word8 -> [Share] -> Maybe Share
shareAt 0 _ = Nothing
shareAt point shares = Share point <$> at point shares

at :: Word8 -> [Share] -> Maybe ByteString
at _ [] = Nothing
at !target shares@(first : rest)
    | any ((/= len) . B.length . shareBytes) rest = Nothing
    | otherwise = pureCall $ do
        (bytes, status) <- B.createUptoN' len $ \to ->
            withArrayLen (map sharePoint shares) $ \count pointsPtr ->
                withAll (map shareBytes shares) [] $ \pointers -> withArray pointers $ \sharesPtr ->
                    (,) len <$> shamirCombine pointsPtr (fromIntegral count) target sharesPtr (fromIntegral len) to
        case status of
            10 -> pure Nothing
            _ -> Just bytes <$ check status
  where
    !len = B.length (shareBytes first)

-- | Passes the starts of all byte strings.
withAll :: [ByteString] -> [Ptr Word8] -> ([Ptr Word8] -> IO a) -> IO a
withAll [] starts body = body (reverse starts)
withAll (bytes : rest) starts body = withBytes bytes $ \start _ -> withAll rest (start : starts) body
