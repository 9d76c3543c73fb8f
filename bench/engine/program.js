// As many endpoints as BENCH_COUNT says, spread over the projects of BENCH_PROJECTS, of the kind that kind.js exports.
const { Kind } = require('./kind.js');

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
