export interface ProjectPath {
  Params: { project_id: string };
}

export interface BranchPath {
  Params: { project_id: string; branch_id: string };
}

export interface EndpointPath {
  Params: { project_id: string; endpoint_id: string };
}

export interface OperationPath {
  Params: { project_id: string; operation_id: string };
}
