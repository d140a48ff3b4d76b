export { exec } from '../template/exec.js';
