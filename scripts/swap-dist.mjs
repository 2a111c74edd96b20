// Puts a finished build in place of the last one at once, so that programs that run on dist/ meanwhile never find it empty.
import { renameSync, rmSync } from 'node:fs';

const [built = 'dist.next', place = 'dist'] = process.argv.slice(2);
const old = `${place}.old-${process.pid}`;
try {
  renameSync(place, old);
} catch (error) {
  if (error.code !== 'ENOENT') throw error;
}
renameSync(built, place);
rmSync(old, { recursive: true, force: true });
