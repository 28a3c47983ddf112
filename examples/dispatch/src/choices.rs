//! The six choices: places in a program where the branch on the CPU can be.

use std::hint::black_box;

use built_twice::Built;
use sealane_simd::{
    AesLevel, AesToken, CachedLevel, Clmul, ClmulLevel, Level, LevelList, Simd, dispatch, dispatch_aes, dispatch_clmul,
};

/// The names and descriptions of the choices. The others are compared with the first one.
pub(crate) const CHOICES: [(&str, &str); 6] = [
    (
        "static",
        "nowhere: the whole loop is in a function compiled with the features, as all of a program compiled for this CPU",
    ),
    ("leaf", "in each inner operation, which asks the cached detection"),
    ("top", "at the top of each call, which asks the cached detection"),
    ("object", "at the top of each call; the object that it is made on keeps the level"),
    ("pointer", "nowhere: each call goes through a function pointer that was chosen once"),
    ("twice", "at the top of each call, which calls one of two copies of the library"),
];

/// Makes a number of calls on data in memory. `black_box` hides the data from the compiler.
pub(crate) type Calls<D> = Box<dyn FnMut(u64, &mut D)>;

/// A kernel with each choice, in the order of [`CHOICES`], and the level (the instruction set) that
/// detection chooses.
pub(crate) struct Rows<D> {
    pub(crate) level: &'static str,
    pub(crate) calls: [Calls<D>; CHOICES.len()],
}

/// For one kind of token, defines the trait of kernels that are generic over such tokens, and the
/// function that returns a kernel's rows. A kernel is a type, so that it can be inlined into every
/// function that calls it.
macro_rules! family {
    ($rows:ident, $detected:ident, $kernel:ident: $level:ty, $bound:ident, $dispatch:ident) => {
        /// Returns the level for this CPU. After the first call, this takes one atomic load.
        #[inline(always)]
        pub(crate) fn $detected() -> $level {
            static LEVEL: CachedLevel<$level> = CachedLevel::new();
            LEVEL.get().unwrap_or_else(|| {
                let level = <$level>::detect();
                LEVEL.set(level);
                level
            })
        }

        /// An operation.
        pub(crate) trait $kernel: 'static {
            type Data: 'static;
            /// Runs with the features of `token`. Must be `#[inline(always)]`.
            fn call<T: $bound>(token: T, data: &mut Self::Data);
        }

        /// Returns the choices for the kernel `K`. `leaf` branches in each inner operation; `twice`
        /// calls the library that is built twice.
        pub(crate) fn $rows<K: $kernel>(leaf: fn(&mut K::Data), twice: fn(Built, &mut K::Data)) -> Rows<K::Data> {
            #[inline(always)]
            fn repeat<K: $kernel, T: $bound>(token: T, calls: u64, data: &mut K::Data) {
                for _ in 0..calls {
                    K::call(token, black_box(&mut *data));
                }
            }

            struct Object {
                level: $level,
            }

            impl Object {
                #[inline]
                fn call<K: $kernel>(&self, data: &mut K::Data) {
                    $dispatch!(self.level, token => K::call(token, data));
                }
            }

            fn entered<K: $kernel, T: $bound>(token: T, data: &mut K::Data) {
                token.enter(
                    #[inline(always)]
                    |token| K::call(token, data),
                );
            }

            fn pointer<K: $kernel, T: $bound>(token: T) -> Calls<K::Data> {
                let chosen: fn(T, &mut K::Data) = entered::<K, T>;
                Box::new(move |calls, data| {
                    let chosen = black_box(chosen);
                    for _ in 0..calls {
                        // The token takes no space: this is a call with one argument.
                        chosen(token, black_box(&mut *data));
                    }
                })
            }

            let level = $detected();
            let built = Built::detect();
            let calls: [Calls<K::Data>; CHOICES.len()] = [
                Box::new(move |calls, data| $dispatch!(level, token => repeat::<K, _>(token, calls, data))),
                Box::new(move |calls, data| (0..calls).for_each(|_| leaf(black_box(&mut *data)))),
                Box::new(|calls, data| {
                    for _ in 0..calls {
                        let data = black_box(&mut *data);
                        $dispatch!($detected(), token => K::call(token, data));
                    }
                }),
                Box::new(move |calls, data| {
                    let object = Object { level };
                    for _ in 0..calls {
                        // Hides the level from the compiler.
                        black_box(&object).call::<K>(black_box(&mut *data));
                    }
                }),
                $dispatch!(level, token => pointer::<K, _>(token)),
                Box::new(move |calls, data| {
                    for _ in 0..calls {
                        twice(*black_box(&built), black_box(&mut *data));
                    }
                }),
            ];
            Rows { level: level.name(), calls }
        }
    };
}

family!(vector_rows, vector_level, VectorKernel: Level, Simd, dispatch);
family!(aes_rows, aes_level, AesKernel: AesLevel, AesToken, dispatch_aes);
family!(clmul_rows, clmul_level, ClmulKernel: ClmulLevel, Clmul, dispatch_clmul);
