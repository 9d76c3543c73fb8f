import { appendFileSync } from 'node:fs';
import { servePlugin } from '../../../../provider/src/plugin/serve-plugin';
import { recordCalls } from './record-calls';

// The provider plugin, which also writes each call of the engine to a file, as a line of JSON.

const file = process.env.RECORDED_CALLS ?? '';
recordCalls((call) => appendFileSync(file, `${JSON.stringify(call)}\n`));
// The folder of the launcher, where real-side.ts copies schema.json.
servePlugin(__dirname);
