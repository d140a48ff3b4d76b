// The setup module of the recipes. It measures their tests like the native ones.
import { test as base } from 'recipewright/playwright';
import { measured } from './measured.js';

export const test = base.extend<{ measured: undefined }>({ measured: [...measured] });
