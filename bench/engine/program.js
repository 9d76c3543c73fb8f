// As many endpoints as BENCH_COUNT says, of the kind that BENCH_KIND says, spread over the projects of BENCH_PROJECTS.
const pulumi = require('@pulumi/pulumi');
const { ComputeEndpoint } = require('pulumi-postgres-compute');

const emptyType = 'pulumi-nodejs:dynamic/postgres:ComputeEndpoint';
const text = `exports.handler=()=>require(${JSON.stringify(process.env.BENCH_EMPTY_PROVIDER)}).provider`;
const outputs = [
  'host',
  'poolerHost',
  'proxyHost',
  'minSize',
  'maxSize',
  'maxConnections',
  'pooledMaxConnections',
];

class EmptyEndpoint extends pulumi.CustomResource {
  constructor(name, args) {
    const computed = Object.fromEntries(outputs.map((output) => [output, undefined]));
    super(emptyType, name, {
      ...computed,
      ...args,
      __urn: pulumi.createUrn(name, emptyType),
      __provider: text,
    });
  }
}

const Kind = process.env.BENCH_KIND === 'empty' ? EmptyEndpoint : ComputeEndpoint;
const projects = JSON.parse(process.env.BENCH_PROJECTS);
for (let index = 0; index < Number(process.env.BENCH_COUNT); index += 1) {
  const { projectId, branchId } = projects[index % projects.length];
  new Kind(`endpoint-${index}`, {
    projectId,
    branchId,
    type: 'read_only',
    autoscalingLimitMinCu: 0.25,
    autoscalingLimitMaxCu: 1,
  });
}
