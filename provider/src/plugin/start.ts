import { servePlugin } from './main';

// In the bundle, this is the folder of the plugin.
servePlugin(__dirname);
