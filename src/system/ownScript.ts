/** What the script of the package is called in stacks when it starts from bytecode, which keeps the name it was made under wherever it is installed. */
export const ownScript = 'recipewright/dist/library.cjs';
