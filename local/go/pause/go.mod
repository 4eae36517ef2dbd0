module flux-minicluster.local/pause

go 1.26.0
