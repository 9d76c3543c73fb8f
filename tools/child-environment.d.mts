/** An environment without the service's key and settings, Pulumi's access token and the passphrase of its secrets. */
export function withoutSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv;
/** The environment in which Go builds the pinned modules, verified against the committed go.sum alone. */
export function goEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv;
