environment  = "test"
account_id   = "111111111111"
function_arn = "arn:aws:lambda:ca-central-1:111111111111:function:availability-test"
