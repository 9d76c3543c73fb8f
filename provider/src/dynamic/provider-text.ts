/** The type of a ComputeEndpoint in a stack's state. */
export const dynamicTypeToken = 'pulumi-nodejs:dynamic/postgres:ComputeEndpoint';

/**
 * The provider as it travels in state: it names the installed package and holds no code of its own, so old state
 * runs the code of today.
 */
export const providerText = 'exports.handler=()=>require("pulumi-postgres-compute/runtime").provider';
