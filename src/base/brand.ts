declare const brand: unique symbol;

/** A string (or number) that can't be mistaken for another of the same shape. Made only by the module that owns it. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
