import type * as pulumi from '@pulumi/pulumi';

/**
 * The settings of the provider plugin for one account: those of the stack's config, such as `postgres-compute:baseUrl`, or
 * of a provider that the program creates. A program that works with several accounts creates a provider for each.
 */
export interface ProviderArgs {
  /**
   * The API key of the service. If it is not given, the provider reads `POSTGRES_COMPUTE_API_KEY`, and the state never
   * holds the key. @secret
   */
  apiKey?: pulumi.Input<string>;
  /**
   * The base URL of the service, which ends in the version segment: `https://HOST/api/v2`. If it is not given, the
   * provider reads `POSTGRES_COMPUTE_BASE_URL`.
   */
  baseUrl?: pulumi.Input<string>;
  /**
   * The maximum number of requests in any minute: the account's limit. Providers and pipelines on one account share it by
   * themselves. If it is not given, the provider reads `POSTGRES_COMPUTE_REQUESTS_PER_MINUTE`. @default 700 @integer
   */
  requestsPerMinute?: pulumi.Input<number>;
  /**
   * `true` allows `http` to another machine, on a network that you trust. `http` to this machine is always allowed. If it
   * is not given, the provider reads `POSTGRES_COMPUTE_ALLOW_INSECURE_BASE_URL`. @default false
   */
  allowInsecureBaseUrl?: pulumi.Input<boolean>;
  /**
   * If false, a change that would drop connections of an active compute fails the preview and the update before anything
   * is changed. `allowRestart` of an endpoint overrides it. @default true
   */
  allowRestart?: pulumi.Input<boolean>;
}
