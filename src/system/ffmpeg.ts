// Pictures to a video, by an ffmpeg that is on the machine already.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnv } from './childEnv.js';
import { systemClock } from './clock.js';
import { findProgram, isProgram } from './machine.js';
import { runProcess } from './spawn.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The one in PATH, else the one that Playwright installs beside its browsers. */
export function findFfmpeg(env: Environment = process.env): string | undefined {
  return findProgram('ffmpeg', env) ?? playwrightFfmpeg(env);
}

export type Reel = {
  /** JPEGs, one for each tick of the rate. */
  images: readonly Buffer[];
  rate: number;
  width: number;
  height: number;
  mostBytes: number;
};

const longestMs = 20_000;

export async function encodeWebm(ffmpeg: string, reel: Reel): Promise<{ video: Buffer } | { problem: string }> {
  const stop = new AbortController();
  const withdraw = systemClock.after(longestMs, () => stop.abort(new Error(`it took longer than ${longestMs} ms`)));
  let dir: string | undefined;
  try {
    dir = mkdtempSync(join(tmpdir(), 'recipewright-video-'));
    const file = join(dir, 'video.webm');
    const { exitCode, spawnError, stderr } = await runProcess({
      ...{ command: [ffmpeg, ...argumentsFor(reel, file)], cwd: dir, env: childEnv({}), signal: stop.signal },
      ...{ stdin: Buffer.concat(reel.images), tag: `video/${process.pid}` },
    });
    if (exitCode === 0) return { video: readFileSync(file) };
    const said =
      stop.signal.reason instanceof Error ? stop.signal.reason.message : (spawnError ?? stderr.bytes.toString().trim());
    return { problem: `${ffmpeg} made no video: ${said || `exit code ${exitCode}`}` };
  } catch (thrown) {
    // ENOSPC or EACCES of the temporary directory, or ENOENT: it says that all is well and leaves no file.
    return { problem: `${ffmpeg} made no video: ${(thrown as Error).message}` };
  } finally {
    withdraw();
    if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
  }
}

// No more than Playwright's own build can do: motion JPEG in, VP8 out.
function argumentsFor({ rate, width, height, mostBytes }: Reel, file: string): string[] {
  const fit = `scale=${width}:${height}:force_original_aspect_ratio=decrease,pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2`;
  return [
    ...['-loglevel', 'error', '-f', 'image2pipe', '-framerate', String(rate), '-c:v', 'mjpeg', '-i', 'pipe:0'],
    ...['-an', '-vf', fit, '-pix_fmt', 'yuv420p', '-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8'],
    ...['-crf', '10', '-qmin', '0', '-qmax', '50', '-b:v', '1M', '-threads', '1', '-fs', String(mostBytes), '-y', file],
  ];
}

const programs: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'ffmpeg-linux',
  darwin: 'ffmpeg-mac',
  win32: 'ffmpeg-win64.exe',
};

function playwrightFfmpeg(env: Environment): string | undefined {
  const [folder, program] = [env.PLAYWRIGHT_BROWSERS_PATH || usualFolder(env), programs[process.platform]];
  if (program === undefined) return undefined;
  try {
    const versions = readdirSync(folder).filter((name) => /^ffmpeg-\d+$/.test(name));
    return versions.map((name) => join(folder, name, program)).find(isProgram);
  } catch {
    // ENOENT, ENOTDIR: none of Playwright's browsers is installed, or they lie elsewhere.
    return undefined;
  }
}

function usualFolder(env: Environment): string {
  const home = env.HOME || homedir();
  if (process.platform === 'darwin') return join(home, 'Library', 'Caches', 'ms-playwright');
  if (process.platform === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'ms-playwright');
  return join(env.XDG_CACHE_HOME || join(home, '.cache'), 'ms-playwright');
}
