import { servePlugin } from './serve-plugin';

// In the bundle, this is the folder of the plugin.
servePlugin(__dirname);
