// A file of its own in the package, too: see importModule.ts.
exports.nativeImport = (specifier) => import(specifier);
