// A resource with the properties of a ComputeEndpoint, whose provider does nothing. It does not load the package
// either: what that takes is part of what the package costs.
const pulumi = require('@pulumi/pulumi');
const { outputs } = require('./empty-endpoint.js');

const isDynamic = process.env.BENCH_DOOR === 'dynamic';
const type = isDynamic
  ? 'pulumi-nodejs:dynamic/postgres:ComputeEndpoint'
  : 'postgres-compute:index:ComputeEndpoint';
/** As long as the text of the package, to the character or two. */
const text = 'exports.handler=()=>require(process.env.BENCH_EMPTY_PROVIDER).provider';
const properties = [...Object.keys(outputs), 'unsettledOperations', 'name'];

exports.Kind = class EmptyEndpoint extends pulumi.CustomResource {
  constructor(name, args) {
    const computed = Object.fromEntries(properties.map((property) => [property, undefined]));
    const hidden = isDynamic ? { __urn: pulumi.createUrn(name, type), __provider: text } : {};
    super(type, name, { ...computed, ...args, ...hidden });
  }
};
