-- | Checks conditions.
module Expect
    ( expect
    ) where

import Control.Monad (unless)
import System.Exit (exitFailure)

-- | Ends the tests with an error if the condition is false.
expect :: String -> Bool -> IO ()
expect text ok = unless ok (putStrLn ("FAILED: " ++ text) >> exitFailure)
